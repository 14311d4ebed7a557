// The moments of what is drawn are those asked for.
#include "fake_worker/latency_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

struct Moments {
  double mean = 0;
  double sd = 0;
  double rho = 0;
};

constexpr int kCount = 20'000;

Moments moments_of(const LatencyShape& shape) {
  LatencySource source(shape, 7);
  std::vector<double> values;
  for (int i = 0; i < kCount; ++i) values.push_back(source.next());
  Moments moments;
  for (const double value : values) moments.mean += value / kCount;
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - moments.mean) * (values[i] - moments.mean);
    if (i > 0) products += (values[i] - moments.mean) * (values[i - 1] - moments.mean);
  }
  moments.sd = std::sqrt(squares / (kCount - 1));
  moments.rho = products / squares;
  return moments;
}

// Within five standard errors: sd/sqrt(n) for the mean, widened by sqrt((1+rho)/(1-rho)) for a correlated series.
TEST(LatencySource, HasTheMomentsAskedFor) {
  using Kind = LatencyShape::Kind;
  for (const auto& [kind, rho] : std::vector<std::pair<Kind, double>>{
           {Kind::kNormal, 0}, {Kind::kNormal, 0.7}, {Kind::kLognormal, 0}, {Kind::kGamma, 0}}) {
    LatencyShape shape;
    shape.kind = kind;
    shape.mean_s = 0.02;
    shape.sd_s = 0.002;
    shape.rho = rho;
    const Moments moments = moments_of(shape);
    const double widening = std::sqrt((1 + shape.rho) / (1 - shape.rho));
    EXPECT_NEAR(moments.mean, 0.02, 5 * 0.002 / std::sqrt(kCount) * widening);
    EXPECT_NEAR(moments.sd, 0.002, 0.002 * 0.05);
    EXPECT_NEAR(moments.rho, shape.rho, 5 / std::sqrt(kCount));
  }
}

TEST(LatencySource, AddsWarmupDriftAndSpikes) {
  LatencyShape shape;
  shape.mean_s = 1;
  shape.warmup_samples = 2;
  shape.warmup_factor = 3;
  shape.spike_every = 4;
  shape.spike_factor = 10;
  LatencySource source(shape, 0);
  EXPECT_DOUBLE_EQ(source.next(), 3);
  EXPECT_DOUBLE_EQ(source.next(), 2);
  EXPECT_DOUBLE_EQ(source.next(), 1);
  EXPECT_DOUBLE_EQ(source.next(), 10);
  EXPECT_DOUBLE_EQ(source.next(0.5), 0.5);

  LatencyShape drifting;
  drifting.mean_s = 1;
  drifting.drift_per_sample = 0.1;
  LatencySource drift(drifting, 0);
  for (const double expected : {1.0, 1.1, 1.2}) EXPECT_DOUBLE_EQ(drift.next(), expected);
}

TEST(LatencySource, MixesTwoModes) {
  LatencyShape shape;
  shape.kind = LatencyShape::Kind::kBimodal;
  shape.mean_s = 1;
  shape.sd_s = 0.001;
  shape.slow_share = 0.25;
  shape.slow_factor = 2;
  LatencySource source(shape, 3);
  int slow = 0;
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = source.next();
    sum += value;
    const bool is_slow = value > 1.2;  // modes: 1 / (0.75 + 0.25 · 2) = 0.8, and 1.6
    EXPECT_NEAR(value, is_slow ? 1.6 : 0.8, 0.006);
    slow += is_slow ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 1, 5 * 0.35 / std::sqrt(kCount)) << "deviation 0.8 · √(0.25 · 0.75) = 0.35";
  EXPECT_NEAR(slow / static_cast<double>(kCount), 0.25, 5 * 0.43 / std::sqrt(kCount));
}

TEST(LatencySource, StepsToEachLevelAndSpikesAtItsRate) {
  LatencyShape shape;
  shape.mean_s = 1;
  shape.steps = {{2, 1.5}, {4, 1}};
  LatencySource source(shape, 0);
  for (const double expected : {1.0, 1.0, 1.5, 1.5, 1.0, 1.0}) EXPECT_DOUBLE_EQ(source.next(), expected);

  LatencyShape spiky;
  spiky.mean_s = 1;
  spiky.spike_rate = 0.1;
  spiky.spike_factor = 7;
  LatencySource spikes(spiky, 5);
  int count = 0;
  for (int i = 0; i < 10'000; ++i) count += spikes.next() == 7 ? 1 : 0;
  EXPECT_NEAR(count, 1000, 5 * 30) << "deviation √(10,000 · 0.1 · 0.9) = 30";
}

TEST(ParseBehaviour, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(parse_behaviour({{"latancy", 1}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"kind", "cauchy"}}}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"mean_s", "fast"}}}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"steps", {{1}}}}}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"spike_rate", 2}}}}), Error);
  EXPECT_THROW(parse_behaviour({{"faults", {{{"kind", "hang"}, {"at", "lunch"}}}}}), Error);
  EXPECT_THROW(parse_behaviour(Json::array()), Error);
}

TEST(ParseBehaviour, LaysMatchingCasesOverTheRest) {
  const Json json = {{"latency", {{"mean_s", 1}, {"sd_s", 0.1}}},
                     {"cases", {{{"when", {{"batch_size", 8}}}, {"latency", {{"mean_s", 5}}}}}}};
  EXPECT_EQ(parse_behaviour(json, {{"batch_size", 1}}).latency.mean_s, 1);
  const Behaviour eight = parse_behaviour(json, {{"batch_size", 8}, {"task", "embedding"}});
  EXPECT_EQ(eight.latency.mean_s, 5);
  EXPECT_EQ(eight.latency.sd_s, 0.1) << "what the case does not name stays";
}

}  // namespace
}  // namespace transformeter
