// What the processor and the kernel counted while passes ran: cycles, cache misses, page faults.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// One event, counted on the host in all threads of a process.
struct EventCount {
  std::string name;                  // one of those below, or one that only a later worker knows
  std::optional<double> value = {};  // mean of a pass; seconds or bytes where the name ends in _s or _bytes
  double scaled_share = 0;           // 0 to below 1: of the time in which it was not counted, and scaled up for that
  std::string reason = {};           // why there is no value; empty with one

  bool operator==(const EventCount&) const = default;
};

/// Names of what a worker counts.
namespace event_name {
inline constexpr std::string_view kCycles = "cycles";
inline constexpr std::string_view kInstructions = "instructions";
inline constexpr std::string_view kCacheReferences = "cache_references";
inline constexpr std::string_view kCacheMisses = "cache_misses";
inline constexpr std::string_view kMemoryReadBytes =
    "memory_read_bytes";  // estimate: 64 a read that missed the last cache
inline constexpr std::string_view kBranches = "branches";
inline constexpr std::string_view kBranchMisses = "branch_misses";
inline constexpr std::string_view kStalledCyclesFrontend = "stalled_cycles_frontend";
inline constexpr std::string_view kStalledCyclesBackend = "stalled_cycles_backend";
inline constexpr std::string_view kPageFaults = "page_faults";
inline constexpr std::string_view kContextSwitches = "context_switches";
inline constexpr std::string_view kTaskClock = "task_clock_s";  // CPU time
}  // namespace event_name

inline constexpr std::size_t kMostEventCounts = 100;
inline constexpr std::size_t kLongestEventReason = 1000;

/// The event of that name with a value; null: none.
const EventCount* find_counted(const std::vector<EventCount>& events, std::string_view name);

/// [{name, value, scaled_share, reason}, ...], with null for no value and for no reason.
Json to_json(const std::vector<EventCount>& events);
/// Throws Json::exception or Error(kProtocol) for a missing or mistyped field, for negative numbers, for a share of 1
/// or more, for no value without a reason, for names that are empty, too long or there twice, and for too many events.
std::vector<EventCount> event_counts_from_json(const Json& json);

/// {name: {value, scaled_share, reason}, ...}: the same events by their names, as results show them.
Json named_json(const std::vector<EventCount>& events);
/// Throws as event_counts_from_json.
std::vector<EventCount> event_counts_from_named_json(const Json& named);

}  // namespace transformeter
