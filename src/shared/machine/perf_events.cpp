// The system call as it is: the C library has no function for it, and what is needed here is one structure and four
// calls (docs/decisions.md).
#include "machine/perf_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "schema/event_counts.h"

namespace transformeter {
namespace {

std::uint32_t type_of(EventCounter counter) {
  switch (counter) {
    case EventCounter::kProcessor:
      return PERF_TYPE_HARDWARE;
    case EventCounter::kProcessorCache:
      return PERF_TYPE_HW_CACHE;
    case EventCounter::kKernel:
      return PERF_TYPE_SOFTWARE;
  }
  return PERF_TYPE_MAX;
}

// Reads that missed the last-level cache, whatever level that is: Linux maps it only where it knows such an event.
constexpr std::uint64_t kLastCacheReadMisses =
    PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
constexpr double kCacheLineBytes = 64;

constexpr std::array kPerfEvents{
    PerfEvent{.name = event_name::kCycles, .config = PERF_COUNT_HW_CPU_CYCLES, .always_counts = true},
    PerfEvent{.name = event_name::kInstructions, .config = PERF_COUNT_HW_INSTRUCTIONS, .always_counts = true},
    PerfEvent{event_name::kCacheReferences, EventCounter::kProcessor, PERF_COUNT_HW_CACHE_REFERENCES},
    PerfEvent{event_name::kCacheMisses, EventCounter::kProcessor, PERF_COUNT_HW_CACHE_MISSES},
    PerfEvent{.name = event_name::kMemoryReadBytes,
              .counter = EventCounter::kProcessorCache,
              .config = kLastCacheReadMisses,
              .unit = kCacheLineBytes},
    PerfEvent{.name = event_name::kBranches, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS, .always_counts = true},
    PerfEvent{event_name::kBranchMisses, EventCounter::kProcessor, PERF_COUNT_HW_BRANCH_MISSES},
    PerfEvent{event_name::kStalledCyclesFrontend, EventCounter::kProcessor, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    PerfEvent{event_name::kStalledCyclesBackend, EventCounter::kProcessor, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    PerfEvent{event_name::kPageFaults, EventCounter::kKernel, PERF_COUNT_SW_PAGE_FAULTS},
    PerfEvent{.name = event_name::kContextSwitches,
              .counter = EventCounter::kKernel,
              .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
              .is_in_kernel = true},
    PerfEvent{.name = event_name::kTaskClock,
              .counter = EventCounter::kKernel,
              .config = PERF_COUNT_SW_TASK_CLOCK,
              .unit = 1e-9},
};

}  // namespace

std::span<const PerfEvent> perf_events() {
  return kPerfEvents;
}

const PerfEvent& perf_event(std::string_view name) {
  const auto* found =
      std::find_if(kPerfEvents.begin(), kPerfEvents.end(), [&](const PerfEvent& event) { return event.name == name; });
  if (found == kPerfEvents.end()) throw Error(ErrorKind::kInternal, fmt::format("no event is called '{}'", name));
  return *found;
}

KernelPerfEvents::~KernelPerfEvents() {
  rlimit limit{};
  if (!earlier_file_limit_ || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = *earlier_file_limit_;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Once: a descriptor for each event and thread can be more than the usual 1,024 on large machines.
bool KernelPerfEvents::raise_file_limit() {
  rlimit limit{};
  if (earlier_file_limit_ || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  const rlim_t earlier = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  earlier_file_limit_ = earlier;
  return true;
}

int KernelPerfEvents::open(const PerfEvent& event, pid_t thread) {
  perf_event_attr attributes{};
  attributes.type = type_of(event.counter);
  attributes.size = sizeof(attributes);
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = event.is_in_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  while (true) {
    const long descriptor = ::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0) return static_cast<int>(descriptor);
    const int error = errno;
    if (error != EMFILE || !raise_file_limit()) return -error;
  }
}

void KernelPerfEvents::start(int descriptor) {
  ::ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0);
}

void KernelPerfEvents::stop(int descriptor) {
  ::ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

std::optional<PerfReading> KernelPerfEvents::read(int descriptor) {
  std::array<std::uint64_t, 3> values{};
  if (::read(descriptor, values.data(), sizeof(values)) != static_cast<ssize_t>(sizeof(values))) return std::nullopt;
  return PerfReading{values[0], values[1], values[2]};
}

void KernelPerfEvents::close(int descriptor) {
  ::close(descriptor);
}

std::string how_to_permit_perf_events(std::optional<long long> paranoid) {
  const std::string container = "--cap-add PERFMON and a seccomp profile that allows perf_event_open";
  if (paranoid && *paranoid <= 1) return fmt::format("in a container, add {}", container);
  return fmt::format("run sudo sysctl kernel.perf_event_paranoid=1; in a container, also {}", container);
}

std::string why_not_opened(int error, std::optional<long long> paranoid) {
  switch (error) {
    case EACCES:
    case EPERM:
      return fmt::format("not permitted{}; {}",
                         paranoid ? fmt::format(": kernel.perf_event_paranoid is {}", *paranoid) : std::string(),
                         how_to_permit_perf_events(paranoid));
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "not offered by this processor or virtual machine";
    case ENOSYS:
      return "perf_event_open is missing: the kernel is built without perf, or the container's seccomp profile hides "
             "it";
    case EMFILE:
    case ENFILE:
      return "too many open files: it takes one for each event and thread; raise the limit (ulimit -n)";
    default:
      return fmt::format("perf_event_open failed: {}", std::generic_category().message(error));
  }
}

}  // namespace transformeter
