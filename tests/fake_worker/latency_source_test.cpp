// The moments of what is drawn are those asked for.
#include "fake_worker/latency_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

struct Moments {
  double mean = 0;
  double sd = 0;
  double rho = 0;
};

Moments moments_of(const LatencyShape& shape) {
  constexpr int kCount = 100'000;
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
  for (const Kind kind : {Kind::kNormal, Kind::kLognormal, Kind::kAr1}) {
    LatencyShape shape;
    shape.kind = kind;
    shape.mean_s = 0.02;
    shape.sd_s = 0.002;
    shape.rho = kind == Kind::kAr1 ? 0.7 : 0;
    const Moments moments = moments_of(shape);
    const double widening = std::sqrt((1 + shape.rho) / (1 - shape.rho));
    EXPECT_NEAR(moments.mean, 0.02, 5 * 0.002 / std::sqrt(1e5) * widening);
    EXPECT_NEAR(moments.sd, 0.002, 0.002 * 0.03);
    EXPECT_NEAR(moments.rho, shape.rho, 5 / std::sqrt(1e5));
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

TEST(ParseBehaviour, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(parse_behaviour({{"latancy", 1}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"kind", "cauchy"}}}}), Error);
  EXPECT_THROW(parse_behaviour({{"latency", {{"mean_s", "fast"}}}}), Error);
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
