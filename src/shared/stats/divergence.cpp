// Sums in double: a million float values lose nothing.
#include "stats/divergence.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transformeter {

std::optional<double> spread_between_rows(std::span<const float> values, std::size_t width) {
  const std::size_t rows = width == 0 ? 0 : values.size() / width;
  if (rows < 2) return std::nullopt;
  std::vector<double> means(width, 0);
  for (std::size_t i = 0; i < rows * width; ++i) means[i % width] += values[i];
  for (double& mean : means) mean /= static_cast<double>(rows);
  double squares = 0;
  for (std::size_t i = 0; i < rows * width; ++i) {
    const double difference = values[i] - means[i % width];
    squares += difference * difference;
  }
  const double spread = std::sqrt(squares / static_cast<double>((rows - 1) * width));
  return std::isfinite(spread) && spread > 0 ? std::optional(spread) : std::nullopt;
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
