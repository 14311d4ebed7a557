// The moments asked for are those of the values, whatever the kind.
#include "fake_worker/latency_source.h"

#include <algorithm>
#include <cmath>

namespace transformeter {

LatencySource::LatencySource(const LatencyShape& shape, std::uint64_t seed)
    : shape_(shape), random_(seed, "latency"), mean_s_(shape.mean_s) {
  if (shape.between_sd_s > 0) mean_s_ += shape.between_sd_s * random_.normal();
  deviation_s_ = shape.sd_s * random_.normal();  // so that an autoregressive series is stationary from the start
}

double LatencySource::draw() {
  switch (shape_.kind) {
    case LatencyShape::Kind::kConstant:
      return mean_s_;
    case LatencyShape::Kind::kNormal:
      return mean_s_ + shape_.sd_s * random_.normal();
    case LatencyShape::Kind::kLognormal: {
      // sigma² = ln(1 + sd²/mean²) and mu = ln(mean) - sigma²/2 give a lognormal of that mean and sd.
      const double variance = std::log1p(shape_.sd_s * shape_.sd_s / (mean_s_ * mean_s_));
      return std::exp(std::log(mean_s_) - variance / 2 + std::sqrt(variance) * random_.normal());
    }
    case LatencyShape::Kind::kAr1: {
      const double value = mean_s_ + deviation_s_;
      deviation_s_ =
          shape_.rho * deviation_s_ + shape_.sd_s * std::sqrt(1 - shape_.rho * shape_.rho) * random_.normal();
      return value;
    }
  }
  return mean_s_;
}

double LatencySource::next(double size) {
  double value = draw() * size;
  if (count_ < shape_.warmup_samples) {
    const double left = 1 - static_cast<double>(count_) / static_cast<double>(shape_.warmup_samples);
    value *= 1 + (shape_.warmup_factor - 1) * left;
  }
  value *= 1 + shape_.drift_per_sample * static_cast<double>(count_);
  ++count_;
  if (shape_.spike_every > 0 && count_ % shape_.spike_every == 0) value *= shape_.spike_factor;
  return std::max(value, 1e-9);
}

}  // namespace transformeter
