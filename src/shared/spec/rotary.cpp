// The formulas of transformers/modeling_rope_utils.py of Transformers 5.23; reference values by that program are in
// tests/data/models/rotary.json.
#include "spec/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transformeter {

namespace {

// 1 / θ^(2i/d) for i < d/2.
std::vector<double> plain_frequencies(double theta, std::int64_t dimensions) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < dimensions; i += 2) {
    frequencies.push_back(1 / std::pow(theta, static_cast<double>(i) / static_cast<double>(dimensions)));
  }
  return frequencies;
}

double dynamic_theta(const RotarySpec& spec, std::int64_t tokens) {
  const auto longest = static_cast<double>(std::max(tokens, spec.max_positions));
  const double stretch = spec.factor * longest / static_cast<double>(spec.max_positions) - (spec.factor - 1);
  const auto dimensions = static_cast<double>(spec.dimensions);
  return spec.theta * std::pow(stretch, dimensions / (dimensions - 2));
}

// The dimension that turns `rotations` times over the original length.
double yarn_dimension(const RotarySpec& spec, double rotations) {
  const auto positions = static_cast<double>(spec.original_positions);
  return static_cast<double>(spec.dimensions) * std::log(positions / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(spec.theta));
}

void stretch_yarn(const RotarySpec& spec, std::vector<double>& frequencies) {
  double low = yarn_dimension(spec, spec.beta_fast);
  double high = yarn_dimension(spec, spec.beta_slow);
  if (spec.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(spec.dimensions - 1));
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double divided = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] / spec.factor * divided + frequencies[i] * (1 - divided);
  }
}

void stretch_llama3(const RotarySpec& spec, std::vector<double>& frequencies) {
  const auto positions = static_cast<double>(spec.original_positions);
  for (double& frequency : frequencies) {
    const double turns = positions * frequency / (2 * std::numbers::pi);
    const double kept = std::clamp(
        (turns - spec.low_frequency_factor) / (spec.high_frequency_factor - spec.low_frequency_factor), 0.0, 1.0);
    frequency = (1 - kept) * frequency / spec.factor + kept * frequency;
  }
}

void stretch_longrope(const RotarySpec& spec, std::int64_t tokens, std::vector<double>& frequencies) {
  const std::vector<double>& factors = tokens > spec.original_positions ? spec.long_factors : spec.short_factors;
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] /= factors[i];
}

}  // namespace

std::vector<double> rotary_frequencies(const RotarySpec& spec, std::int64_t tokens) {
  const bool is_dynamic = spec.scaling == RotaryScaling::kDynamic;
  std::vector<double> frequencies =
      plain_frequencies(is_dynamic ? dynamic_theta(spec, tokens) : spec.theta, spec.dimensions);
  switch (spec.scaling) {
    case RotaryScaling::kLinear:
      for (double& frequency : frequencies) frequency /= spec.factor;
      break;
    case RotaryScaling::kYarn:
      stretch_yarn(spec, frequencies);
      break;
    case RotaryScaling::kLlama3:
      stretch_llama3(spec, frequencies);
      break;
    case RotaryScaling::kLongRope:
      stretch_longrope(spec, tokens, frequencies);
      break;
    case RotaryScaling::kDefault:
    case RotaryScaling::kDynamic:
      break;
  }
  return frequencies;
}

bool depends_on_length(const RotarySpec& spec) {
  return spec.scaling == RotaryScaling::kDynamic || spec.scaling == RotaryScaling::kLongRope;
}

}  // namespace transformeter
