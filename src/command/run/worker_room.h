// Whether further workers fit into memory beside those that are parked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "schema/series.h"

namespace transformeter {

inline constexpr std::size_t kMostParked = 16;

/// By what the largest worker so far took: cases come cheapest first, so that the next may take more.
class WorkerRoom {
 public:
  using AvailableBytes = std::function<std::optional<std::int64_t>()>;

  /// By what the system says is available.
  WorkerRoom();
  explicit WorkerRoom(AvailableBytes available) : available_(std::move(available)) {}

  /// The series of a process, which has ended or is parked.
  void look_at(const std::vector<Series>& series);

  /// Whether `more` ≥ 1 workers fit beside so many that are parked; one of them may be twice as large. Never where
  /// nobody knows what is available.
  bool has(std::size_t parked, std::size_t more) const;

 private:
  AvailableBytes available_;
  double largest_ = 1e9;  // bytes; before any is known, what a small model takes
};

}  // namespace transformeter
