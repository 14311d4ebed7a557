// Whether further workers fit into memory beside those that are parked.
#pragma once

#include <cstddef>
#include <vector>

#include "schema/series.h"

namespace transformeter {

inline constexpr std::size_t kMostParked = 16;

/// By what the largest worker so far took: cases come cheapest first, so that the next may take more.
class WorkerRoom {
 public:
  /// The series of a process, which has ended or is parked.
  void look_at(const std::vector<Series>& series);

  /// One more beside so many; it may be twice as large.
  bool has_one(std::size_t parked) const;
  /// All of a group of at least two.
  bool has_group(std::size_t parked, std::size_t group) const;

 private:
  bool holds(std::size_t workers) const;

  double largest_ = 1e9;  // bytes; before any is known, what a small model takes
};

}  // namespace transformeter
