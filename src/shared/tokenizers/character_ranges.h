// Looking a code point up in a sorted table of ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace transformeter {

/// The range of a sorted table that holds `c`, or null.
template <typename Range, std::size_t N>
const Range* range_of(const Range (&ranges)[N], char32_t c) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last ? std::prev(after) : nullptr;
}

template <typename Range, std::size_t N>
bool within(const Range (&ranges)[N], char32_t c) {
  return range_of(ranges, c) != nullptr;
}

}  // namespace transformeter
