// What the system says is available, less a reserve.
#include "run/worker_room.h"

#include <algorithm>

#include "machine/process_memory.h"

namespace transformeter {
namespace {

constexpr double kReserve = 2e9;  // bytes that parked workers leave to others

}  // namespace

WorkerRoom::WorkerRoom() : WorkerRoom([] { return available_memory_bytes(); }) {}

void WorkerRoom::look_at(const std::vector<Series>& series) {
  if (const Series* rss = find_series(series, "peak_rss")) largest_ = std::max(largest_, rss->value.front());
}

bool WorkerRoom::has(std::size_t parked, std::size_t more) const {
  if (parked + more > kMostParked) return false;
  const auto available = available_();
  return available && static_cast<double>(*available) > static_cast<double>(more + 1) * largest_ + kReserve;
}

}  // namespace transformeter
