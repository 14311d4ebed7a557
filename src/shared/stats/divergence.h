// How far numbers lie from those they should be.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace transformeter {

/// How far apart rows of `width` values lie: √(Σ (x − mean of its column)² ÷ ((rows − 1) · width)). A model that gives
/// the same row for every input is off by about this much, whatever the values' distance from zero and from each other
/// within a row. Nothing for fewer than two rows, for rows that are all the same, and where a value is not finite.
std::optional<double> spread_between_rows(std::span<const float> values, std::size_t width);

/// Sums over pairs of rows: those of a candidate and of its reference.
class RowDifferences {
 public:
  /// The rows are of one size. A value that is not finite makes root_mean_square() so; largest() then says nothing.
  void add(std::span<const float> row, std::span<const float> reference);

  std::size_t rows() const { return rows_; }
  /// Rows whose largest value, the first of equals, is at the same place.
  std::size_t agreed() const { return agreed_; }
  /// √(Σ (row − reference)² ÷ values); 0 without values.
  double root_mean_square() const;
  /// max |row − reference|; 0 without values.
  double largest() const { return largest_; }

 private:
  std::size_t rows_ = 0;
  std::size_t agreed_ = 0;
  std::size_t values_ = 0;
  double squares_ = 0;
  double largest_ = 0;
};

}  // namespace transformeter
