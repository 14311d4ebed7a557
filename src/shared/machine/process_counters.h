// Counts cycles, cache misses, page faults and the like of this process, with all its threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

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

  /// Whether any event could be opened.
  bool counts_any() const { return !start_order_.empty(); }
  void start();
  /// Counts add up over all times between `start` and `stop`.
  void stop();
  /// The count of each event ÷ `passes`, which is at least 1, in the order of perf_events(). A count is scaled up for
  /// the time when other events had the counter.
  std::vector<EventCount> mean_counts(std::int64_t passes) const;

 private:
  struct Counter {
    const PerfEvent* event = nullptr;
    std::map<pid_t, int> descriptors;  // by thread
    std::string reason;                // why there are none
  };

  void open(Counter& counter, const std::vector<pid_t>& threads, std::optional<long long> paranoid);
  void close(Counter& counter);
  void order_descriptors(std::vector<pid_t> threads);
  EventCount mean_count(const Counter& counter, std::int64_t passes) const;

  PerfEvents& events_;
  std::vector<Counter> counters_;
  std::vector<int> start_order_;  // of all descriptors; they are stopped in the reverse order
};

}  // namespace transformeter
