// The filters are those that Pillow's documentation names; their formulas are the textbook's: Keys' cubic with a = -0.5
// (Cubic convolution interpolation, 1981), and windows of sin(x) / x by Lanczos and Hamming.
#include "images/resample_weights.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformeter {
namespace {

double sinc(double x) {
  if (x == 0) return 1;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
}

double hamming(double x) {
  x = std::abs(x);
  if (x == 0) return 1;
  return x < 1 ? sinc(x) * (0.54 + 0.46 * std::cos(x * std::numbers::pi)) : 0;
}

double filter_value(ResampleFilter filter, double x) {
  switch (filter) {
    case ResampleFilter::kBox:
      return x > -0.5 && x <= 0.5 ? 1 : 0;
    case ResampleFilter::kBilinear:
      return std::max(0.0, 1 - std::abs(x));
    case ResampleFilter::kHamming:
      return hamming(x);
    case ResampleFilter::kBicubic:
      return cubic(x);
    case ResampleFilter::kLanczos:
      return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    case ResampleFilter::kNearest:
      break;
  }
  throw Error(ErrorKind::kInternal, "no weights for this filter");
}

// Half the filter's width, in pixels of the smaller image.
double filter_reach(ResampleFilter filter) {
  switch (filter) {
    case ResampleFilter::kBox:
      return 0.5;
    case ResampleFilter::kBicubic:
      return 2;
    case ResampleFilter::kLanczos:
      return 3;
    default:
      return 1;
  }
}

// The first pixel whose middle lies at or behind a place.
std::int64_t place_of(double place) {
  return static_cast<std::int64_t>(std::floor(place + 0.5));
}

std::int32_t fixed_point(double weight) {
  constexpr double kOne = 1 << kWeightBits;
  return static_cast<std::int32_t>(weight * kOne + (weight < 0 ? -0.5 : 0.5));
}

}  // namespace

ResampleWeights resample_weights(std::int64_t in, std::int64_t out, ResampleFilter filter) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double stretch = std::max(scale, 1.0);
  const double reach = filter_reach(filter) * stretch;
  ResampleWeights result;
  result.taps = std::min(static_cast<std::int64_t>(std::ceil(reach)) * 2 + 1, in);
  result.weights.resize(static_cast<std::size_t>(out * result.taps));
  std::vector<double> run(static_cast<std::size_t>(result.taps));
  for (std::int64_t i = 0; i < out; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto begin = std::max<std::int64_t>(place_of(center - reach), 0);
    const auto count = std::min(place_of(center + reach), in) - begin;
    double sum = 0;
    for (std::int64_t t = 0; t < count; ++t) {
      run[t] = filter_value(filter, (static_cast<double>(t + begin) - center + 0.5) * (1 / stretch));
      sum += run[t];
    }
    std::int32_t* weights = result.weights.data() + i * result.taps;
    for (std::int64_t t = 0; t < count; ++t) weights[t] = fixed_point(sum == 0 ? run[t] : run[t] / sum);
    result.begin.push_back(begin);
    result.count.push_back(count);
  }
  return result;
}

}  // namespace transformeter
