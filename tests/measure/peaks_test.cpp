// Searches and rates on a clock that only the work moves, then the real kernels on tiny shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/cpu_device.h"
#include "device/fake_gpu.h"
#include "measure/bandwidth_peak.h"
#include "measure/gemm_peak.h"
#include "measure/steady_rate.h"
#include "measure/synchronized_work.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsSupersetOf;

StoppingOptions exactly(std::size_t count) {
  StoppingOptions stopping;
  stopping.exact_count = count;
  return stopping;
}

TEST(SteadyRate, IsWorkOverMedianTimeWithTheMediansInterval) {
  FakeClock clock;
  int call = 0;
  // 10 ms each, but for one that is late and one that is early.
  const auto work = [&] {
    ++call;
    clock.advance(milliseconds(call == 3 ? 50 : call == 5 ? 5 : 10));
  };
  const auto rate = steady_rate(clock, work, 7e9, exactly(12));
  ASSERT_TRUE(rate && rate->interval);
  EXPECT_NEAR(rate->value, 7e9 / 0.010, 1);
  EXPECT_NEAR(rate->interval->low, 7e11, 1);
  EXPECT_NEAR(rate->interval->high, 7e11, 1);
  EXPECT_EQ(rate->n, 12u);
}

TEST(SteadyRate, IsNothingWhereTheClockStandsStill) {
  FakeClock clock;
  EXPECT_FALSE(steady_rate(
      clock, [] {}, 1, exactly(12)));
}

TEST(QuickRate, LeavesTheFirstCallOut) {
  FakeClock clock;
  bool is_first = true;
  const auto work = [&] { clock.advance(milliseconds(std::exchange(is_first, false) ? 900 : 20)); };
  EXPECT_NEAR(quick_rate(clock, work, 1, 3), 50, 1e-9);
}

Device& cpu() {
  static const std::unique_ptr<Device> device = make_cpu_device();
  return *device;
}

GemmSweep tiny_sweep() {
  GemmSweep sweep;
  sweep.shapes = {{16, 32, 32}, {32, 64, 64}};
  sweep.gpu_shapes = {{32, 64, 64}};
  sweep.stopping = exactly(8);
  return sweep;
}

TEST(GemmPeak, KeepsEveryPointAndMeasuresTheBestAgain) {
  const SystemClock clock;
  for (const char* precision : {"fp32", "bf16"}) {
    const Peak peak = measure_gemm_peak(clock, cpu(), precision, tiny_sweep());
    SCOPED_TRACE(precision);
    ASSERT_TRUE(peak.rate) << peak.reason;
    EXPECT_EQ(peak.quantity, std::string("gemm_") + precision);
    EXPECT_EQ(peak.rate->n, 8u);
    std::vector<std::string> seen;
    double fastest = 0;
    for (const PeakPoint& point : peak.points) {
      seen.push_back(point.kernel + " " + std::to_string(point.shape.at(0)));
      EXPECT_GT(point.rate, 0);
      fastest = std::max(fastest, point.rate);
    }
    EXPECT_THAT(seen, IsSupersetOf({"linear 16", "linear 32"}));
    // oneDNN packs no bf16 for a processor without instructions for it.
    if (std::string(precision) == "fp32") {
      EXPECT_THAT(seen, IsSupersetOf({"linear_prepacked 16", "linear_prepacked 32", "linear_mkl_prepacked 16",
                                      "linear_mkl_prepacked 32"}));
    } else {
      EXPECT_THAT(seen, IsSupersetOf({"widened 16", "widened 32", "widened_onednn 16", "widened_onednn 32"}));
    }
    EXPECT_EQ(peak.best->rate, fastest);
  }
}

TEST(GemmPeak, OfAGpuIsOfItsOwnShapesAndKernels) {
  const SystemClock clock;
  FakeGpu gpu(0);
  for (const char* precision : {"fp32", "bf16"}) {
    const Peak peak = measure_gemm_peak(clock, gpu, precision, tiny_sweep());
    ASSERT_TRUE(peak.rate) << peak.reason;
    ASSERT_EQ(peak.points.size(), 1u);
    EXPECT_EQ(peak.best->kernel, "linear");
    EXPECT_EQ(peak.best->shape, (std::vector<std::int64_t>{32, 64, 64}));
  }
  EXPECT_FALSE(measure_gemm_peak(clock, cpu(), "tf32", tiny_sweep()).rate) << "a CPU has none";
}

TEST(SynchronizedWork, RepeatsShortWorkOnADeviceThatIsBehindTheHost) {
  const SystemClock clock;
  FakeGpu gpu(0);
  int calls = 0;
  const SynchronizedWork often = synchronized_work(clock, gpu, [&] { ++calls; });
  EXPECT_GT(often.repeats, 1);
  calls = 0;
  often.run();
  EXPECT_EQ(calls, often.repeats);
  EXPECT_EQ(synchronized_work(clock, cpu(), [] {}).repeats, 1);
}

TEST(BandwidthPeak, OfAGpuIsOnItsArrays) {
  const SystemClock clock;
  FakeGpu gpu(0);
  const Peak peak = measure_gpu_bandwidth_peak(clock, gpu, exactly(3));
  ASSERT_TRUE(peak.rate) << peak.reason;
  EXPECT_EQ(peak.best->kernel, "triad");
  EXPECT_GE(peak.best->shape.front(), 8 << 20) << "eight times the GPU's cache";
}

TEST(ReadBandwidthPeak, OfAGpuIsOnOneArrayAsLongAsThree) {
  const SystemClock clock;
  FakeGpu gpu(0);
  const Peak read = measure_gpu_read_bandwidth_peak(clock, gpu, exactly(3));
  ASSERT_TRUE(read.rate) << read.reason;
  EXPECT_EQ(read.quantity, "read_bandwidth");
  EXPECT_EQ(read.best->kernel, "read");
  EXPECT_EQ(read.best->shape.front(), 3 * measure_gpu_bandwidth_peak(clock, gpu, exactly(3)).best->shape.front());
}

TEST(ReadBandwidthPeak, ReadsOneArrayAsLongAsThree) {
  const SystemClock clock;
  BandwidthOptions options;
  options.array = {(1 << 20) + 4096, "a note"};
  options.stopping = exactly(8);
  const Peak peak = measure_read_bandwidth_peak(clock, options);
  ASSERT_TRUE(peak.rate);
  EXPECT_EQ(peak.quantity, "read_bandwidth");
  ASSERT_EQ(peak.points.size(), 4u) << "three looks, and the best of them again";
  EXPECT_EQ(peak.best->shape.at(0), 3 * ((1 << 20) + 4096));
  EXPECT_THAT(peak.best->shape.at(1), testing::AnyOf(1, 2, 4));
  EXPECT_EQ(peak.best->rate, peak.rate->value);
  EXPECT_TRUE(peak.rate->interval);
  EXPECT_EQ(peak.notes, std::vector<std::string>{"a note"});
}

TEST(GemmPeak, MultipliesIntegersOrSaysWhyNot) {
  const SystemClock clock;
  const Peak peak = measure_gemm_peak(clock, cpu(), "int8", tiny_sweep());
  EXPECT_NE(peak.rate.has_value(), !peak.reason.empty());
  EXPECT_EQ(peak.rate.has_value(), peak.best.has_value());
  EXPECT_EQ(peak.points.size() % 2, 0u) << "a kernel runs on every shape or on none";
}

TEST(GemmPeak, OfAnUnknownPrecisionIsAReason) {
  const SystemClock clock;
  const Peak peak = measure_gemm_peak(clock, cpu(), "fp7", tiny_sweep());
  EXPECT_FALSE(peak.rate);
  EXPECT_THAT(peak.reason, HasSubstr("fp7"));
}

TEST(GemmPeak, ASlowMachineEndsTheSearchAndSaysSo) {
  const SystemClock clock;
  GemmSweep sweep = tiny_sweep();
  sweep.longest_search_s = 0;
  const Peak peak = measure_gemm_peak(clock, cpu(), "fp32", sweep);
  EXPECT_TRUE(peak.points.empty());
  EXPECT_THAT(peak.notes, testing::ElementsAre(HasSubstr("larger shapes were skipped")));
}

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

Json caches(std::int64_t l3, int instances) {
  return {{"caches",
           {{{"name", "L1d"}, {"size_bytes", 48 << 10}, {"instance_count", 2}},
            {{"name", "L3"}, {"size_bytes", l3}, {"instance_count", instances}}}}};
}

TEST(StreamArray, IsFourTimesTheLastLevelCachesTogether) {
  EXPECT_EQ(stream_array_size(caches(32 << 20, 2), 64 * kGibibyte).bytes, 4LL * 2 * (32 << 20));
  EXPECT_EQ(stream_array_size(caches(32 << 20, 2), 64 * kGibibyte).note, "");
}

TEST(StreamArray, TakesAtMostHalfOfTheMemoryForThreeAndSaysSo) {
  const ArraySize size = stream_array_size(caches(kGibibyte, 1), 6 * kGibibyte);
  EXPECT_EQ(size.bytes, kGibibyte);
  EXPECT_THAT(size.note, HasSubstr("less than 4 times the last-level cache of 1.00 GiB"));
}

TEST(StreamArray, SaysWhereNoCacheIsKnown) {
  EXPECT_THAT(stream_array_size({{"caches", Json::array()}}, 64 * kGibibyte).note, HasSubstr("unknown"));
}

TEST(BandwidthPeak, IsTheTriadsRateBesideTheCopys) {
  const SystemClock clock;
  BandwidthOptions options;
  options.array = {1 << 20, "a note"};
  options.stopping = exactly(8);
  const Peak peak = measure_bandwidth_peak(clock, options);
  ASSERT_TRUE(peak.rate);
  ASSERT_EQ(peak.points.size(), 2u);
  EXPECT_EQ(peak.points[0].kernel, "copy");
  EXPECT_EQ(peak.points[1].kernel, "triad");
  EXPECT_EQ(peak.best->rate, peak.rate->value);
  EXPECT_EQ(peak.notes, std::vector<std::string>{"a note"});
}

}  // namespace
}  // namespace transformeter
