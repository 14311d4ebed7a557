// How far one sequence is from another, and several from others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace transformeter {

/// The fewest substitutions, deletions and insertions of single elements that make `other` of `one` (Levenshtein 1966),
/// by Wagner and Fischer's table (1974), of which two rows are kept: time is one.size() times other.size().
/// `check`, where there is one, is called for each element of `one`, and may throw.
template <typename T>
std::size_t edit_distance(std::span<const T> one, std::span<const T> other, const std::function<void()>& check = {}) {
  std::vector<std::size_t> row(other.size() + 1);  // distances of one's elements so far to each beginning of other
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (check) check();
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

/// What one transcript differs by from its reference.
struct EditCount {
  std::size_t edits = 0;  // substitutions, deletions and insertions of words, or of characters
  std::size_t units = 0;  // words, or characters, of the reference
};

/// Edits ÷ units of the chosen ones together; nothing where their references are empty.
inline std::optional<double> error_rate(std::span<const EditCount> counts, std::span<const std::size_t> chosen) {
  EditCount all;
  for (const std::size_t i : chosen) {
    all.edits += counts[i].edits;
    all.units += counts[i].units;
  }
  return all.units == 0 ? std::nullopt : std::optional(static_cast<double>(all.edits) / static_cast<double>(all.units));
}

}  // namespace transformeter
