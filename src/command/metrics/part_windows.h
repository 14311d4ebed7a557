// Windows of what was measured within the units of another window: the tokens of a request, the phases of a batch.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/sample_window.h"

namespace transformeter {

/// The elements of `column` at the places of the window's samples, `size` of them for each; nothing where the column is
/// not as long as `all_samples` of them.
template <typename T>
std::vector<double> taken(const std::vector<T>& column, const SampleWindow& window, std::size_t all_samples,
                          std::size_t size = 1) {
  if (size == 0 || column.size() != all_samples * size) return {};
  std::vector<double> values;
  for (const std::size_t place : window.places) {
    for (std::size_t i = place * size; i < (place + 1) * size; ++i) values.push_back(static_cast<double>(column[i]));
  }
  return values;
}

/// A window of other values of the same units, one batch a cycle, or an empty one where they do not belong to them.
SampleWindow part_window(const SampleWindow& units, std::vector<double> values);

}  // namespace transformeter
