// Events that the processor and the kernel count for a thread: Linux's perf_event_open(2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace transformeter {

/// Who counts. The kernel does also where the processor's counters are hidden.
enum class EventCounter { kProcessor, kProcessorCache, kKernel };

/// What to count.
struct PerfEvent {
  std::string_view name;  // of schema/event_counts.h
  EventCounter counter = EventCounter::kProcessor;
  std::uint64_t config = 0;    // of perf_event_attr
  bool always_counts = false;  // in any thread that runs: 0 is no count
  bool is_in_kernel = false;   // occurs only in the kernel, so counting user space alone gives 0
  double unit = 1;             // what one count is, in the unit of the name
};

/// Those that `transformeter profile` shows, of the processor first.
std::span<const PerfEvent> perf_events();
/// Of that table. Throws Error(kInternal) for another name.
const PerfEvent& perf_event(std::string_view name);

/// A count with the times in which the event was to be counted and was: they differ where the processor has fewer
/// counters than there are events, so that these take turns.
struct PerfReading {
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// The kernel's events, or a test's.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  /// Counts `event` for a thread of this process and for all threads that it starts from now on; not before `start`.
  /// Returns a descriptor, or an errno as a negative number.
  virtual int open(const PerfEvent& event, pid_t thread) = 0;
  virtual void start(int descriptor) = 0;
  /// May be started again, and then counts on.
  virtual void stop(int descriptor) = 0;
  /// Since it was opened. Nothing where the kernel does not answer.
  virtual std::optional<PerfReading> read(int descriptor) = 0;
  virtual void close(int descriptor) = 0;
};

/// perf_event_open(2) in user space, and in the kernel for events that happen nowhere else. While it lives, this
/// process may have as many open files as the hard limit allows, if it needs more than the soft one does.
class KernelPerfEvents final : public PerfEvents {
 public:
  KernelPerfEvents() = default;
  ~KernelPerfEvents() override;
  KernelPerfEvents(const KernelPerfEvents&) = delete;
  KernelPerfEvents& operator=(const KernelPerfEvents&) = delete;

  int open(const PerfEvent& event, pid_t thread) override;
  void start(int descriptor) override;
  void stop(int descriptor) override;
  std::optional<PerfReading> read(int descriptor) override;
  void close(int descriptor) override;

 private:
  bool raise_file_limit();

  std::optional<std::uint64_t> earlier_file_limit_;  // where it was raised
};

/// What to do where events may not be opened; `paranoid`: /proc/sys/kernel/perf_event_paranoid.
std::string how_to_permit_perf_events(std::optional<long long> paranoid);
/// Why an event could not be opened, from the errno, and what to do.
std::string why_not_opened(int error, std::optional<long long> paranoid);

}  // namespace transformeter
