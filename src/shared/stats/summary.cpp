// One pass for the sums, two selections for the medians.
#include "stats/summary.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

// Neumaier's compensated sum: 1e6 samples of very different sizes keep their digits.
class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

std::optional<Summary> summarize(std::span<const double> values) {
  if (values.empty() || !all_finite(values)) return std::nullopt;
  Summary summary;
  summary.n = values.size();
  CompensatedSum total;
  for (const double value : values) total.add(value);
  summary.total = total.value();
  summary.mean = summary.total / static_cast<double>(summary.n);
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  summary.min = *min;
  summary.max = *max;
  if (summary.n > 1) {
    CompensatedSum squares;
    for (const double value : values) squares.add((value - summary.mean) * (value - summary.mean));
    summary.stddev = std::sqrt(squares.value() / static_cast<double>(summary.n - 1));
  }
  std::vector<double> copy(values.begin(), values.end());
  summary.median = *median_of(copy);
  for (double& value : copy) value = std::fabs(value - summary.median);
  summary.mad = *median_of(std::move(copy));
  return summary;
}

}  // namespace transformeter
