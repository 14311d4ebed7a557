// Counts cycles, cache misses, page faults and the like of this process, with all its threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/perf_events.h"
#include "machine/system_files.h"
#include "schema/event_counts.h"

namespace transformeter {

/// One counter for each event and thread: an event of a whole process counts only threads that start after it was
/// opened, and those of OpenMP start with the first pass. Threads that start later are counted with the thread that
/// starts them. One that starts while the object is made may be missed.
class ProcessCounters {
 public:
  /// Opens all that can be opened; `mean_counts` says why others cannot be. `events` must outlive the object.
  explicit ProcessCounters(PerfEvents& events, const SystemFiles& files = SystemFiles());
  ~ProcessCounters();
  ProcessCounters(const ProcessCounters&) = delete;
  ProcessCounters& operator=(const ProcessCounters&) = delete;

  void start();
  /// Counts add up over all times between `start` and `stop`.
  void stop();
  /// Of each event its count ÷ `passes`, which is at least 1, in the order of event_name::kCycles,
  /// event_name::kInstructions,
  /// ... A count is scaled up by the time in which others had its turn. event_name::kMemoryReadBytes is
  /// event_name::kCacheMisses × 64, where those are misses of the last cache.
  std::vector<EventCount> mean_counts(std::int64_t passes) const;

 private:
  struct Counter {
    const PerfEvent* event = nullptr;
    std::vector<int> descriptors;  // of each thread
    std::string reason;            // why there are none
  };

  void open(Counter& counter, const std::vector<pid_t>& threads, std::optional<long long> paranoid);
  void close(Counter& counter);
  EventCount mean_count(const Counter& counter, std::int64_t passes) const;

  PerfEvents& events_;
  std::vector<Counter> counters_;
  std::string why_no_memory_bytes_;  // empty: cache misses are those of the last cache
};

}  // namespace transformeter
