// The sampler and the measuring loop on a clock that only the work moves.
#include "measure/sampler.h"

#include <gtest/gtest.h>

#include "measure/measuring_loop.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;

class SamplerOnFakeClock : public testing::Test {
 protected:
  Sampler sampler_of(std::vector<WorkSize> sizes, milliseconds length) {
    return Sampler(
        clock_, [this, length](std::size_t) { clock_.advance(length); }, std::move(sizes));
  }

  FakeClock clock_;
};

TEST_F(SamplerOnFakeClock, RecordsTimeStartIndexAndSizesOfEachUnit) {
  Sampler sampler = sampler_of({{8, 60, 80}, {3, 20, 21}}, milliseconds(50));
  sampler.set_origin(clock_.now());
  sampler.take(0);
  clock_.advance(milliseconds(10));  // bookkeeping between samples belongs to none
  sampler.take(1, kSampleWarmup);
  const Series series = sampler.drain().at(0);
  EXPECT_EQ(series.name, "latency");
  ASSERT_EQ(series.value.size(), 2U);
  EXPECT_NEAR(series.value[0], 0.050, 1e-12);
  EXPECT_NEAR(series.value[1], 0.050, 1e-12);
  EXPECT_NEAR(series.start_s[1], 0.060, 1e-12);
  EXPECT_EQ(series.index, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(series.examples, (std::vector<std::int64_t>{8, 3})) << "the last partial batch has its true size";
  EXPECT_EQ(series.useful_tokens, (std::vector<std::int64_t>{60, 20}));
  EXPECT_EQ(series.processed_tokens, (std::vector<std::int64_t>{80, 21}));
  EXPECT_EQ(series.flags, (std::vector<std::uint32_t>{0, kSampleWarmup}));
  EXPECT_TRUE(sampler.drain().at(0).value.empty());
}

TEST_F(SamplerOnFakeClock, CountsTheCpuTimeOfEachUnit) {
  const auto work = [this](std::size_t index) {
    clock_.advance(milliseconds(10));
    clock_.use_cpu(milliseconds(index == 0 ? 20 : 7));
  };
  Sampler sampler(clock_, work, {{1, 1, 1}, {1, 1, 1}});
  sampler.count_cpu_time(clock_);
  clock_.use_cpu(milliseconds(1000));  // before the first unit
  sampler.take(0);
  sampler.take(1);
  const std::vector<Series> series = sampler.drain();
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[1].name, "sample_cpu_time");
  EXPECT_EQ(series[1].value, (std::vector{0.020, 0.007}));
  clock_.use_cpu(milliseconds(1000));  // what becomes of the block
  sampler.take(1);
  EXPECT_EQ(sampler.drain()[1].value, std::vector{0.007});
}

TEST_F(SamplerOnFakeClock, DoesNotCountCpuTimeUnasked) {
  Sampler sampler = sampler_of({{1, 1, 1}}, milliseconds(50));
  sampler.take(0);
  EXPECT_EQ(sampler.drain().size(), 1U);
}

TEST_F(SamplerOnFakeClock, SendsAtMostOneBlockASecondAndLosesNoSample) {
  Sampler sampler = sampler_of({{1, 1, 1}}, milliseconds(300));
  MeasuringOptions options;
  options.stopping.exact_count = 25;
  std::vector<Series> blocks;
  const std::string reason =
      measure_units(sampler, clock_, options, [&](const std::vector<Series>& block) { blocks.push_back(block.at(0)); });
  EXPECT_EQ(reason, "count_reached");
  std::size_t samples = 0;
  for (const Series& block : blocks) samples += block.value.size();
  EXPECT_EQ(samples, 25U);
  // 25 x 0.3 s = 7.5 s: a block every 4 samples (1.2 s), and the rest at the end.
  EXPECT_EQ(blocks.size(), 7U);
}

TEST_F(SamplerOnFakeClock, GoesThroughTheCycleInOrderAndStopsAtItsEnd) {
  Sampler sampler = sampler_of({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, milliseconds(200));
  std::vector<std::int64_t> order;
  measure_units(sampler, clock_, {}, [&](const std::vector<Series>& block) {
    order.insert(order.end(), block.at(0).index.begin(), block.at(0).index.end());
  });
  ASSERT_GE(order.size(), 9U) << "at least three cycles";
  EXPECT_EQ(order.size() % 3, 0U);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<std::int64_t>(i % 3));
}

TEST_F(SamplerOnFakeClock, AHardLimitStopsBeforeTenSamples) {
  Sampler sampler = sampler_of({{1, 1, 1}}, milliseconds(1000));
  MeasuringOptions options;
  options.stopping.limit_s = 4;
  options.stopping.hard_limit = true;
  std::size_t samples = 0;
  EXPECT_EQ(measure_units(sampler, clock_, options,
                          [&](const std::vector<Series>& block) { samples += block.at(0).value.size(); }),
            "limit_reached");
  EXPECT_EQ(samples, 4U);
}

}  // namespace
}  // namespace transformeter
