// Sums over threads, then scales, as perf stat does: a thread that hardly ran would make a scaled count of its own
// worthless.
#include "machine/process_counters.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace transformeter {
namespace {

std::vector<pid_t> threads_of_this_process(const SystemFiles& files) {
  std::vector<pid_t> threads;
  for (const std::string& name : files.list("proc/self/task")) {
    if (const auto thread = parse_integer(name)) threads.push_back(static_cast<pid_t>(*thread));
  }
  return threads;
}

}  // namespace

ProcessCounters::ProcessCounters(PerfEvents& events, const SystemFiles& files) : events_(events) {
  // Listed once, before anything is opened: a thread that an opened one starts would be counted twice.
  const std::vector<pid_t> threads = threads_of_this_process(files);
  const std::optional<long long> paranoid = files.integer("proc/sys/kernel/perf_event_paranoid");
  for (const PerfEvent& event : perf_events()) {
    counters_.push_back({.event = &event, .descriptors = {}, .reason = {}});
  }
  // Where descriptors run out, the kernel's events are there at least: every machine has them.
  for (const bool is_of_kernel : {true, false}) {
    for (Counter& counter : counters_) {
      if ((counter.event->counter == EventCounter::kKernel) == is_of_kernel) open(counter, threads, paranoid);
    }
  }
  order_descriptors(threads);
}

// Thread by thread, so that the events of one cover the same time however many threads there are. The calling thread
// comes last, or its CPU time would hold the work of starting the others; cycles come next to the clock that they are
// divided by.
void ProcessCounters::order_descriptors(std::vector<pid_t> threads) {
  std::stable_partition(threads.begin(), threads.end(), [](pid_t thread) { return thread != ::gettid(); });
  const auto rank = [](const Counter* counter) {
    return counter->event->name == event_name::kTaskClock ? 2 : counter->event->name == event_name::kCycles ? 1 : 0;
  };
  std::vector<const Counter*> counters;
  for (const Counter& counter : counters_) counters.push_back(&counter);
  std::stable_sort(counters.begin(), counters.end(),
                   [&](const Counter* left, const Counter* right) { return rank(left) < rank(right); });
  for (const pid_t thread : threads) {
    for (const Counter* counter : counters) {
      const auto found = counter->descriptors.find(thread);
      if (found != counter->descriptors.end()) start_order_.push_back(found->second);
    }
  }
}

ProcessCounters::~ProcessCounters() {
  for (Counter& counter : counters_) close(counter);
}

// All threads or none: the sum of some would look like that of all.
void ProcessCounters::open(Counter& counter, const std::vector<pid_t>& threads, std::optional<long long> paranoid) {
  for (const pid_t thread : threads) {
    const int descriptor = events_.open(*counter.event, thread);
    if (descriptor >= 0) {
      counter.descriptors[thread] = descriptor;
    } else if (descriptor != -ESRCH) {  // the thread has ended
      counter.reason = why_not_opened(-descriptor, paranoid);
      close(counter);
      return;
    }
  }
  if (counter.descriptors.empty()) counter.reason = "the threads in /proc/self/task cannot be listed";
}

void ProcessCounters::close(Counter& counter) {
  for (const auto& [thread, descriptor] : counter.descriptors) events_.close(descriptor);
  counter.descriptors.clear();
}

void ProcessCounters::start() {
  for (const int descriptor : start_order_) events_.start(descriptor);
}

void ProcessCounters::stop() {
  for (auto descriptor = start_order_.rbegin(); descriptor != start_order_.rend(); ++descriptor) {
    events_.stop(*descriptor);
  }
}

EventCount ProcessCounters::mean_count(const Counter& counter, std::int64_t passes) const {
  EventCount event{.name = std::string(counter.event->name), .reason = counter.reason};
  if (!event.reason.empty()) return event;
  double count = 0;
  double enabled_ns = 0;
  double running_ns = 0;
  for (const auto& [thread, descriptor] : counter.descriptors) {
    const std::optional<PerfReading> reading = events_.read(descriptor);
    if (!reading) {
      event.reason = "the kernel did not answer with its count";
      return event;
    }
    count += static_cast<double>(reading->count);
    enabled_ns += static_cast<double>(reading->enabled_ns);
    running_ns += static_cast<double>(reading->running_ns);
  }
  if (running_ns <= 0) {
    event.reason = enabled_ns > 0 ? "the processor had no counter free for it" : "no thread ran while it was counted";
    return event;
  }
  if (count == 0 && counter.event->always_counts) {
    event.reason = "its counter stood still, as in virtual machines whose host does not let it count";
    return event;
  }
  const double scale = std::max(1.0, enabled_ns / running_ns);
  event.scaled_share = 1 - 1 / scale;
  event.value = count * scale * counter.event->unit / static_cast<double>(passes);
  return event;
}

std::vector<EventCount> ProcessCounters::mean_counts(std::int64_t passes) const {
  std::vector<EventCount> counts;
  for (const Counter& counter : counters_) counts.push_back(mean_count(counter, passes));
  return counts;
}

}  // namespace transformeter
