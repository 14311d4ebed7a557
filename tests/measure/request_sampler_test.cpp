// Requests on a clock that only the work moves. The mistakes of earlier suites have a test each: a list of steps that
// outlives its request, the time of all steps divided by the count of one, a first token that is timed apart.
#include "measure/request_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "measure/measuring_loop.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;

// A model whose first token takes a millisecond for each token that the cache lacks, and each further one 1 ms, 2 ms,
// ...
class Requests : public testing::Test {
 protected:
  RequestSampler sampler_of(const RequestShape& shape) {
    return RequestSampler(clock_,
                          {[this, shape](std::size_t prompt) {
                             prompts_.push_back(prompt);
                             step_ = 0;
                             clock_.advance(milliseconds(shape.prompt_length - cached_));
                             if (keeps_cache_) cached_ = shape.prompt_length - 1;
                           },
                           [this] { clock_.advance(milliseconds(++step_)); },
                           [this] { clock_.advance(milliseconds(40)); }},  // letting go is no part of a request
                          shape);
  }

  FakeClock clock_;
  std::vector<std::size_t> prompts_;
  std::int64_t step_ = 0;
  std::int64_t cached_ = 0;
  bool keeps_cache_ = false;
};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST_F(Requests, PhasesSumUpToTheRequest) {
  RequestSampler sampler = sampler_of({2, 20, 4});
  sampler.set_origin(clock_.now());
  EXPECT_NEAR(sampler.take(0), 0.026, 1e-12) << "20 ms, then 1, 2 and 3 ms";
  sampler.take(1);
  const std::vector<Series> series = sampler.drain();
  ASSERT_EQ(series.size(), 3U);
  const Series &latency = series[0], &first = series[1], &steps = series[2];
  EXPECT_EQ(latency.name, "latency");
  EXPECT_EQ(first.name, "time_to_first_token");
  EXPECT_EQ(steps.name, "decode_step");
  EXPECT_NEAR(sum_of(latency.value), sum_of(first.value) + sum_of(steps.value), 1e-12);
  ASSERT_EQ(steps.value.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(steps.value[i], 0.001 * static_cast<double>(i % 3 + 1), 1e-12) << i;
  EXPECT_NEAR(first.value[1], 0.020, 1e-12);
  EXPECT_NEAR(latency.start_s[1], 0.026 + 0.040, 1e-12);
  EXPECT_NEAR(first.start_s[1], latency.start_s[1], 1e-12) << "the first token belongs to this very request";
  EXPECT_NEAR(steps.start_s[3], first.start_s[1] + first.value[1], 1e-12);
}

TEST_F(Requests, StepsAreCountedAnewInEachRequest) {
  RequestSampler sampler = sampler_of({3, 5, 3});
  for (const std::size_t prompt : {0, 1, 2}) sampler.take(prompt, prompt == 0 ? kSampleWarmup : 0U);
  const std::vector<Series> series = sampler.drain();
  EXPECT_EQ(series[2].index, (std::vector<std::int64_t>{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(series[2].flags, (std::vector<std::uint32_t>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(series[0].index, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(series[0].processed_tokens, (std::vector<std::int64_t>{7, 7, 7})) << "the last new token is not computed";
  EXPECT_EQ(series[1].useful_tokens, (std::vector<std::int64_t>{5, 5, 5}));
  for (const Series& one : sampler.drain()) EXPECT_TRUE(one.value.empty()) << one.name;
}

TEST_F(Requests, BeamsAreProcessedAndOneTextIsUseful) {
  RequestSampler sampler = sampler_of({1, 5, 3, 4});
  sampler.take(0);
  const std::vector<Series> series = sampler.drain();
  EXPECT_EQ(series[0].processed_tokens, std::vector<std::int64_t>{5 + 4 * 2});
  EXPECT_EQ(series[0].useful_tokens, std::vector<std::int64_t>{5 + 2});
  EXPECT_EQ(series[1].processed_tokens, std::vector<std::int64_t>{5}) << "beams begin after the prompt";
}

TEST_F(Requests, OneNewTokenIsThePrefillAlone) {
  RequestSampler sampler = sampler_of({1, 8, 1});
  EXPECT_NEAR(sampler.take(0), 0.008, 1e-12);
  const std::vector<Series> series = sampler.drain();
  EXPECT_EQ(series[0].value, series[1].value);
  EXPECT_TRUE(series[2].value.empty());
}

// What would show a prefix cache left on: the second request with a prompt costs a pass over one token.
TEST_F(Requests, APrefixCacheWouldShow) {
  keeps_cache_ = true;
  RequestSampler sampler = sampler_of({1, 20, 2});
  sampler.take(0);
  sampler.take(0);
  const std::vector<Series> series = sampler.drain();
  EXPECT_NEAR(series[1].value[0], 0.020, 1e-12);
  EXPECT_NEAR(series[1].value[1], 0.001, 1e-12);
}

TEST_F(Requests, AreTakenInTurnAndJudgedAsOneShape) {
  RequestSampler sampler = sampler_of({3, 300, 2});
  EXPECT_EQ(sampler.shape_count(), 1U);
  MeasuringOptions options;
  options.stopping.limit_s = 4;
  options.stopping.hard_limit = true;
  std::size_t requests = 0;
  std::size_t steps = 0;
  const std::string reason = measure_units(sampler, clock_, options, [&](const std::vector<Series>& block) {
    requests += block[0].value.size();
    steps += block[2].value.size();
    EXPECT_EQ(block[0].value.size(), block[1].value.size()) << "a block holds whole requests";
  });
  EXPECT_EQ(reason, "limit_reached") << "12 requests of 0.341 s, though 12 are no whole number of turns";
  EXPECT_EQ(requests, 12U);
  EXPECT_EQ(steps, 12U);
  for (std::size_t i = 0; i < prompts_.size(); ++i) EXPECT_EQ(prompts_[i], i % 3);
}

}  // namespace
}  // namespace transformeter
