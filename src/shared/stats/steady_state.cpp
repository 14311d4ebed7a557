// Outlying first samples, MSER and the drift test, one after the other.
#include "stats/steady_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/dependence.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "stats/trend.h"

namespace transformeter {
namespace {

constexpr std::size_t kMaxSlowFirst = 3;
constexpr std::size_t kMinRest = 3;
constexpr double kSlowFirst = 1.5;
constexpr std::size_t kBatch = 5;
// Longer series go in longer batches, so that 1e6 samples cost one pass.
constexpr std::size_t kMaxBatches = 2000;
// The median of what follows is taken of so many samples at most.
constexpr std::size_t kMaxRest = 1000;
// In a series that scatters this much by itself a slow first sample is nothing special; without this guard the mean of
// 10 lognormal samples (sigma 0.6) covered 90 instead of 93 %.
constexpr double kSlowFirstDeviations = 5;
// MSER always finds some minimum. Unless its head differs this surely it is chance, and cutting there would take the
// window with the least scatter and so make the intervals too narrow.
constexpr double kHeadLevel = 1e-4;

std::size_t slow_first_samples(std::span<const double> values) {
  std::size_t cut = 0;
  while (cut < kMaxSlowFirst && cut + 1 + kMinRest <= values.size()) {
    const auto rest = summarize(values.subspan(cut + 1, std::min(kMaxRest, values.size() - cut - 1)));
    const double usual = rest->median + kSlowFirstDeviations * 1.4826 * rest->mad;
    if (!(values[cut] > std::max(kSlowFirst * rest->median, usual))) break;
    ++cut;
  }
  return cut;
}

// The upper of the two middle values for an even size.
std::vector<double> batch_medians(std::span<const double> values, std::size_t size) {
  if (size == 1) return {values.begin(), values.end()};
  std::vector<double> medians;
  medians.reserve(values.size() / size);
  std::vector<double> part(size);
  const auto middle = part.begin() + static_cast<std::ptrdiff_t>(size / 2);
  for (std::size_t i = 0; i + size <= values.size(); i += size) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i), size, part.begin());
    std::nth_element(part.begin(), middle, part.end());
    medians.push_back(*middle);
  }
  return medians;
}

// The cut d ≤ half that minimises the squared standard error Σ_{i ≥ d} (zᵢ − z̄_d)² / (k − d)² (White 1997).
std::size_t mser_cut(std::span<const double> series) {
  const std::size_t count = series.size();
  const double origin = series[count - 1];
  double sum = 0;
  double squares = 0;
  std::size_t best = 0;
  double least = -1;
  for (std::size_t d = count; d-- > 0;) {
    const double z = series[d] - origin;
    sum += z;
    squares += z * z;
    if (d > count / 2) continue;
    const double kept = static_cast<double>(count - d);
    const double error = std::max(0.0, squares - sum * sum / kept) / (kept * kept);
    // Ties go to the earlier cut, which keeps more.
    if (least < 0 || error <= least) {
      least = error;
      best = d;
    }
  }
  return best;
}

bool head_differs(std::span<const double> series, std::size_t cut) {
  const auto head = summarize(series.first(cut));
  const auto tail = summarize(series.subspan(cut));
  const double rho = corrected_lag1(series.subspan(cut));
  const double inflation = (1 + rho) / (1 - rho);
  const double freedom = std::max(1.0, static_cast<double>(tail->n) / inflation - 1);
  const double per_sample = 1 / static_cast<double>(head->n) + 1 / static_cast<double>(tail->n);
  const double error = tail->stddev.value_or(0) * std::sqrt(inflation * per_sample);
  const double difference = std::fabs(head->mean - tail->mean);
  if (!(error > 0)) return difference > 0;
  return student_t_two_sided_p(difference / error, freedom) < kHeadLevel;
}

std::size_t warm_up_samples(std::span<const double> values) {
  const std::size_t size =
      values.size() < kMinSamplesForSpectrum ? 1 : std::max(kBatch, (values.size() + kMaxBatches - 1) / kMaxBatches);
  const std::vector<double> series = batch_medians(values, size);
  const std::size_t cut = mser_cut(series);
  return cut > 0 && head_differs(series, cut) ? cut * size : 0;
}

}  // namespace

SteadyState find_steady_state(std::span<const double> values) {
  SteadyState state;
  if (values.empty() || !all_finite(values)) {
    state.note = values.empty() ? "no samples" : "a sample is not finite";
    return state;
  }
  std::size_t cut = slow_first_samples(values);
  if (values.size() >= kMinSamplesForCorrelation) {
    cut += warm_up_samples(values.subspan(cut));
    state.drift = drifts(values.subspan(cut));
    if (state.drift) {
      state.note = fmt::format("no steady state: samples {} to {} still drift", cut, values.size() - 1);
      return state;
    }
  }
  const auto window = values.subspan(cut);
  state.from = cut;
  state.autocorrelation_untested = window.size() < kMinSamplesForCorrelation;
  if (!state.autocorrelation_untested && lag1_autocorrelation(window)) state.rho = corrected_lag1(window);
  state.effective_n = effective_n_of_mean(window);
  if (cut > 0) state.note = fmt::format("warm-up: the first {} of {} samples cut", cut, values.size());
  return state;
}

}  // namespace transformeter
