// How far one sequence is from another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace transformeter {

/// The fewest substitutions, deletions and insertions of single elements that make `other` of `one` (Levenshtein 1966),
/// by Wagner and Fischer's table (1974), of which two rows are kept: time is one.size() times other.size().
template <typename T>
std::size_t edit_distance(std::span<const T> one, std::span<const T> other) {
  std::vector<std::size_t> row(other.size() + 1);  // distances of one's elements so far to each beginning of other
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t substituted = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace transformeter
