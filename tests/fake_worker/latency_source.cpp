// The moments asked for are those of the values, whatever the kind. scripts/oracle/generator.py draws the same values
// by other means.
#include "fake_worker/latency_source.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "stats/student_t.h"

namespace transformeter {
namespace {

// Beyond eight deviations a probability can no longer be told from 0 or 1.
double probability_below(double score) {
  const double z = std::clamp(score, -8.0, 8.0);
  const double tail = normal_two_sided_p(z) / 2;
  return z > 0 ? 1 - tail : tail;
}

double lognormal(const LatencyShape& shape, double mean_s, double score) {
  // sigma² = ln(1 + sd²/mean²) and mu = ln(mean) - sigma²/2 give a lognormal of that mean and sd.
  const double variance = std::log1p(shape.sd_s * shape.sd_s / (mean_s * mean_s));
  return std::exp(std::log(mean_s) - variance / 2 + std::sqrt(variance) * score);
}

double gamma(const LatencyShape& shape, double mean_s, double score) {
  if (!(shape.sd_s > 0)) return mean_s;
  const double variance = shape.sd_s * shape.sd_s;
  return boost::math::gamma_p_inv(mean_s * mean_s / variance, probability_below(score)) * variance / mean_s;
}

// A uniform number within a mode's share, divided by the share, is uniform again: the marginal is the exact mixture.
double bimodal(const LatencyShape& shape, double mean_s, double score) {
  const double fast_share = 1 - shape.slow_share;
  const double fast_s = mean_s / (fast_share + shape.slow_share * shape.slow_factor);
  const double u = probability_below(score);
  if (u < fast_share) return fast_s + shape.sd_s * normal_quantile(u / fast_share);
  const double rest = std::max((u - fast_share) / shape.slow_share, 1e-15);
  return fast_s * shape.slow_factor + shape.sd_s * normal_quantile(rest);
}

}  // namespace

LatencySource::LatencySource(const LatencyShape& shape, std::uint64_t seed)
    : shape_(shape), random_(seed, "latency"), spikes_(seed, "spikes"), mean_s_(shape.mean_s) {
  if (shape.between_sd_s > 0) mean_s_ += shape.between_sd_s * random_.normal();
  score_ = random_.normal();  // the series is stationary from the start
}

double LatencySource::draw() {
  const double score = score_;
  score_ = shape_.rho * score_ + std::sqrt(1 - shape_.rho * shape_.rho) * random_.normal();
  switch (shape_.kind) {
    case LatencyShape::Kind::kConstant:
      return mean_s_;
    case LatencyShape::Kind::kNormal:
      return mean_s_ + shape_.sd_s * score;
    case LatencyShape::Kind::kLognormal:
      return lognormal(shape_, mean_s_, score);
    case LatencyShape::Kind::kGamma:
      return gamma(shape_, mean_s_, score);
    case LatencyShape::Kind::kBimodal:
      return bimodal(shape_, mean_s_, score);
  }
  return mean_s_;
}

double LatencySource::factor_of_position() {
  double factor = 1;
  if (count_ < shape_.warmup_samples) {
    const double left = 1 - static_cast<double>(count_) / static_cast<double>(shape_.warmup_samples);
    factor *= 1 + (shape_.warmup_factor - 1) * left;
  }
  factor *= 1 + shape_.drift_per_sample * static_cast<double>(count_);
  double level = 1;
  for (const LatencyShape::Step& step : shape_.steps) {
    if (count_ >= step.at) level = step.factor;
  }
  const bool drawn_spike = shape_.spike_rate > 0 && spikes_.uniform() < shape_.spike_rate;
  const bool due_spike = shape_.spike_every > 0 && (count_ + 1) % shape_.spike_every == 0;
  return factor * level * (drawn_spike || due_spike ? shape_.spike_factor : 1);
}

double LatencySource::next(double size) {
  const double value = draw() * size * factor_of_position();
  ++count_;
  return std::max(value, 1e-9);
}

}  // namespace transformeter
