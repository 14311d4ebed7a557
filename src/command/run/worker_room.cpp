// What the system says is available, less a reserve.
#include "run/worker_room.h"

#include <algorithm>

#include "machine/process_memory.h"

namespace transformeter {
namespace {

constexpr double kReserve = 2e9;  // bytes that parked workers leave to others

}  // namespace

void WorkerRoom::look_at(const std::vector<Series>& series) {
  if (const Series* rss = find_series(series, "peak_rss")) largest_ = std::max(largest_, rss->value.front());
}

bool WorkerRoom::has_one(std::size_t parked) const {
  return parked < kMostParked && holds(2);
}

bool WorkerRoom::has_group(std::size_t parked, std::size_t group) const {
  return parked + group <= kMostParked && holds(group + 1);
}

bool WorkerRoom::holds(std::size_t workers) const {
  const auto available = available_memory_bytes();
  return available && static_cast<double>(*available) > static_cast<double>(workers) * largest_ + kReserve;
}

}  // namespace transformeter
