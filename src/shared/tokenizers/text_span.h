// A stretch of a text.
#pragma once

#include <cstddef>

namespace transformeter {

/// From `begin` up to, not including, `end`.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

inline bool operator==(const TextSpan& a, const TextSpan& b) {
  return a.begin == b.begin && a.end == b.end;
}

}  // namespace transformeter
