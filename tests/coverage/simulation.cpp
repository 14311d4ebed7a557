// Populations with closed quantile functions.
#include "coverage/simulation.h"

#include <cmath>
#include <utility>

#include "stats/student_t.h"

namespace transformeter {
namespace {

constexpr double kFastShare = 0.7;
constexpr double kGap = 10;  // between the modes, in spreads

double normal_share(double z) {
  const double tail = normal_two_sided_p(z) / 2;
  return z > 0 ? 1 - tail : tail;
}

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::kNormal:
      return "normal";
    case Shape::kLognormal:
      return "lognormal";
    case Shape::kBimodal:
      return "bimodal";
  }
  return "normal";
}

double Population::mean() const {
  switch (shape) {
    case Shape::kNormal:
      return 1;
    case Shape::kLognormal:
      return std::exp(spread * spread / 2);
    case Shape::kBimodal:
      return 1 + (1 - kFastShare) * kGap * spread;
  }
  return 1;
}

double Population::quantile(double p) const {
  return at(normal_quantile(p));
}

double Population::at(double z) const {
  if (shape == Shape::kNormal) return 1 + spread * z;
  if (shape == Shape::kLognormal) return std::exp(spread * z);
  // A uniform number below the share, divided by it, is uniform again: the marginal is the mixture, and as the modes do
  // not overlap, the map rises.
  const double u = normal_share(z);
  if (u < kFastShare) return 1 + spread * normal_quantile(std::max(u / kFastShare, 1e-15));
  return 1 + spread * (kGap + normal_quantile(std::min((u - kFastShare) / (1 - kFastShare) + 1e-15, 1 - 1e-15)));
}

PopulationStream::PopulationStream(const Population& population, RandomStream& random)
    : population_(population), random_(random), z_(random.normal()) {}

double PopulationStream::next() {
  const double value = population_.at(z_);
  z_ = population_.rho * z_ + std::sqrt(1 - population_.rho * population_.rho) * random_.normal();
  return value;
}

std::vector<double> draw(const Population& population, std::size_t count, RandomStream& random) {
  PopulationStream stream(population, random);
  std::vector<double> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(stream.next());
  return values;
}

ReplicateRecord simulated_replicate(std::vector<double> seconds, std::size_t batches) {
  Series latency = scalar_series("latency", 0);
  latency.value = std::move(seconds);
  const std::size_t count = latency.value.size();
  for (std::size_t i = 0; i < count; ++i) latency.index.push_back(static_cast<std::int64_t>(i % batches));
  latency.examples.assign(count, 8);
  ReplicateRecord replicate;
  replicate.series.push_back(std::move(latency));
  return replicate;
}

CaseAnalysis analyze(std::vector<ReplicateRecord> replicates, std::size_t batches) {
  CaseRecord the_case;
  the_case.effective = {{"cycle_batches", batches}};
  the_case.replicates = std::move(replicates);
  for (std::size_t i = 0; i < the_case.replicates.size(); ++i) the_case.replicates[i].index = static_cast<int>(i);
  return analyze_case(the_case);
}

void Coverage::add(const MetricRow* row, double truth) {
  ++asked_;
  if (row == nullptr || !row->low || !row->high) return;
  ++given_;
  if (*row->low <= truth && truth <= *row->high) ++hits_;
  length_ += (*row->high - *row->low) / truth;
}

std::optional<double> Coverage::share() const {
  if (given_ == 0) return std::nullopt;
  return static_cast<double>(hits_) / static_cast<double>(given_);
}

}  // namespace transformeter
