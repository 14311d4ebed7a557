// Made-up series whose truth is known, for asking how often a nominal 95 % interval holds it. A latent stationary
// Gaussian AR(1) process is carried to another distribution by its quantile function: the marginal is exact, and `rho`
// is the lag-1 correlation of the normal scores.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "metrics/case_metrics.h"

namespace transformeter {

enum class Shape {
  kNormal,     // 1 + spread · z
  kLognormal,  // exp(spread · z)
  kBimodal,    // 70 % around 1, 30 % around 1 + 10 spread, each with a deviation of spread
};

std::string_view name_of(Shape shape);

struct Population {
  Shape shape = Shape::kNormal;
  double spread = 0.05;
  double rho = 0;  // of the normal scores

  double mean() const;
  double quantile(double p) const;
  /// The value at the normal score z.
  double at(double z) const;
};

/// `count` values in order.
std::vector<double> draw(const Population& population, std::size_t count, RandomStream& random);

/// Draws one value at a time.
class PopulationStream {
 public:
  PopulationStream(const Population& population, RandomStream& random);
  double next();

 private:
  const Population& population_;
  RandomStream& random_;
  double z_;
};

/// A replicate with these latencies and nothing else; with `batches` > 1 the values go round the batches of a cycle.
ReplicateRecord simulated_replicate(std::vector<double> seconds, std::size_t batches = 1);

/// The case analysed as `show` does it.
CaseAnalysis analyze(std::vector<ReplicateRecord> replicates, std::size_t batches = 1);

/// How often intervals hold the truth.
class Coverage {
 public:
  /// A row without an interval counts as one that was asked for and not given.
  void add(const MetricRow* row, double truth);
  std::size_t asked() const { return asked_; }
  std::size_t given() const { return given_; }
  /// Of those given; nothing when none was.
  std::optional<double> share() const;
  /// Mean of the intervals' lengths, relative to the truth.
  double relative_length() const { return given_ > 0 ? length_ / static_cast<double>(given_) : 0; }

 private:
  std::size_t asked_ = 0;
  std::size_t given_ = 0;
  std::size_t hits_ = 0;
  double length_ = 0;
};

}  // namespace transformeter
