// Sums in double: a million float values lose nothing.
#include "stats/divergence.h"

#include <algorithm>
#include <cmath>

namespace transformeter {
namespace {

double squares_about(std::span<const float> values, double centre) {
  double squares = 0;
  for (const float value : values) squares += (value - centre) * (value - centre);
  return squares;
}

std::optional<double> usable(double spread) {
  return std::isfinite(spread) && spread > 0 ? std::optional(spread) : std::nullopt;
}

}  // namespace

std::optional<double> spread_of(std::span<const float> values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const float value : values) sum += value;
  const double mean = sum / count;
  return usable(std::sqrt(squares_about(values, mean) / (count - 1)));
}

std::optional<double> spread_about_zero(std::span<const float> values) {
  if (values.empty()) return std::nullopt;
  return usable(std::sqrt(squares_about(values, 0) / static_cast<double>(values.size())));
}

void RowDifferences::add(std::span<const float> row, std::span<const float> reference) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(row[i]) - static_cast<double>(reference[i]));
    squares_ += difference * difference;
    largest_ = std::max(largest_, difference);
  }
  const auto place = [](std::span<const float> values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
  };
  if (place(row) == place(reference)) ++agreed_;
  values_ += row.size();
  ++rows_;
}

double RowDifferences::root_mean_square() const {
  return values_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(values_));
}

}  // namespace transformeter
