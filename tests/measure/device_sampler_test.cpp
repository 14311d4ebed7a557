// A device of known times on a clock that only the work moves: it runs behind the host, and the host waits for it.
#include "measure/device_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "device/fake_gpu.h"
#include "measure/back_to_back.h"
#include "measure/measuring_loop.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

/// Work is handed over in a host's time and done in the device's own.
class ClockedGpu final : public FakeGpu {
 public:
  explicit ClockedGpu(FakeClock& clock) : FakeGpu(0), clock_(clock) {}

  void hand_over(milliseconds host, milliseconds device) {
    idle_at_ = std::max(idle_at_, clock_.now()) + device;
    clock_.advance(host);
    idle_at_ = std::max(idle_at_, clock_.now());
  }
  void synchronize() override {
    ++waits_;
    if (idle_at_ > clock_.now()) clock_.advance(idle_at_ - clock_.now());
  }
  int waits() const { return waits_; }
  void take_for_each_mark(milliseconds host) { mark_ = host; }
  std::unique_ptr<DeviceTimer> make_timer() override { return std::make_unique<Timer>(*this); }

 private:
  class Timer final : public DeviceTimer {
   public:
    explicit Timer(ClockedGpu& gpu) : gpu_(gpu) {}
    void start() override { start_ = gpu_.mark(); }
    void stop() override { stop_ = gpu_.mark(); }
    double elapsed_s() override { return std::chrono::duration<double>(stop_ - start_).count(); }

   private:
    ClockedGpu& gpu_;
    Clock::TimePoint start_, stop_;
  };

  Clock::TimePoint mark() {
    clock_.advance(mark_);
    return std::max(idle_at_, clock_.now());
  }

  FakeClock& clock_;
  Clock::TimePoint idle_at_;
  milliseconds mark_{0};
  int waits_ = 0;
};

class DeviceSamplerTest : public testing::Test {
 protected:
  std::function<void(std::size_t)> handing(milliseconds host, milliseconds device) {
    return [this, host, device](std::size_t) { gpu_.hand_over(host, device); };
  }
  static const Series& named(const std::vector<Series>& series, const char* name) { return *find_series(series, name); }

  FakeClock clock_;
  ClockedGpu gpu_{clock_};
};

TEST_F(DeviceSamplerTest, TellsTheHostsTimeFromTheDevices) {
  DeviceSampler sampler(clock_, gpu_, {{}, handing(milliseconds(2), milliseconds(10)), {}}, {{4, 30, 40}});
  sampler.take(0, kSampleWarmup);
  EXPECT_NEAR(sampler.take(0), 0.010, 1e-9);
  const std::vector<Series> series = sampler.drain();
  ASSERT_EQ(series.size(), 3U);
  EXPECT_EQ(series.front().name, "latency");
  EXPECT_THAT(named(series, "latency").value, Each(DoubleNear(0.010, 1e-9)));
  EXPECT_THAT(named(series, "launch_time").value, Each(DoubleNear(0.002, 1e-9)));
  EXPECT_THAT(named(series, "device_time").value, Each(DoubleNear(0.010, 1e-9)));
  EXPECT_THAT(named(series, "device_time").flags, ElementsAre(kSampleWarmup, 0U));
  EXPECT_THAT(named(series, "latency").useful_tokens, ElementsAre(30, 30));
  EXPECT_TRUE(sampler.drain().front().value.empty());
}

TEST_F(DeviceSamplerTest, TimesTransfersAsPhasesThatSumUpToTheLatency) {
  DeviceSampler sampler(clock_, gpu_,
                        {handing(milliseconds(0), milliseconds(3)), handing(milliseconds(0), milliseconds(10)),
                         handing(milliseconds(0), milliseconds(1))},
                        {{1, 1, 1}});
  sampler.take(0);
  const std::vector<Series> series = sampler.drain();
  EXPECT_NEAR(named(series, "host_to_device").value.at(0), 0.003, 1e-9);
  EXPECT_NEAR(named(series, "device_time").value.at(0), 0.010, 1e-9);
  EXPECT_NEAR(named(series, "device_to_host").value.at(0), 0.001, 1e-9);
  EXPECT_NEAR(named(series, "latency").value.at(0), 0.014, 1e-9);
}

// The first mark comes before the sample.
TEST_F(DeviceSamplerTest, AMarkCostsTheSampleAndTheHarnessSaysSo) {
  gpu_.take_for_each_mark(milliseconds(1));
  const auto nothing = handing(milliseconds(0), milliseconds(0));
  DeviceSampler pass(clock_, gpu_, {{}, nothing, {}}, {{1, 1, 1}});
  EXPECT_NEAR(pass.take(0), 0.001, 1e-9);
  EXPECT_NEAR(measure_harness_cost(pass, clock_, {}, 5), 0.001, 1e-9);
  DeviceSampler with_copies(clock_, gpu_, {nothing, nothing, nothing}, {{1, 1, 1}});
  EXPECT_NEAR(with_copies.take(0), 0.005, 1e-9);
  EXPECT_NEAR(measure_harness_cost(with_copies, clock_, {}, 5), 0.005, 1e-9);
}

TEST_F(DeviceSamplerTest, WaitsOncePerRunOfCyclesBackToBack) {
  StoppingOptions stopping;
  stopping.exact_count = 5;
  Series series = value_series("back_to_back", {});
  measure_back_to_back(clock_, gpu_, handing(milliseconds(1), milliseconds(10)), {{2, 20, 32}, {1, 5, 16}}, stopping,
                       [&](const std::vector<Series>& block) { series.append(block.at(0)); });
  // A cycle of two takes 20 ms, so five of them are a tenth of a second.
  ASSERT_EQ(series.value.size(), 5U);
  EXPECT_THAT(series.value, Each(DoubleNear(0.100, 1e-9)));
  EXPECT_THAT(series.examples, Each(15));
  EXPECT_THAT(series.useful_tokens, Each(125));
  EXPECT_THAT(series.processed_tokens, Each(240));
  EXPECT_EQ(gpu_.waits(), 6) << "once for the first look, then once a sample";
}

}  // namespace
}  // namespace transformeter
