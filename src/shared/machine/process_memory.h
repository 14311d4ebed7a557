// How much memory a process holds and held at most, and how much the machine has left.
#pragma once

#include <sys/types.h>

#include <optional>

#include "machine/system_files.h"

namespace transformeter {

/// From /proc/PID/status, in bytes. Linux keeps these counters per CPU and sums them lazily: since 6.2 a figure may be
/// off by max(32, 2 × CPUs) pages for each CPU (256 KiB on 2 CPUs); read_pss_bytes is exact.
struct ProcessMemory {
  std::optional<long long> rss_bytes;
  std::optional<long long> peak_rss_bytes;   // VmHWM: since the process began, or since reset_peak_rss
  std::optional<long long> anonymous_bytes;  // RssAnon: heap, stacks; the kernel keeps no peak of it
  std::optional<long long> file_bytes;       // RssFile: mapped libraries and weights
};

/// `pid` 0 is the calling process. All fields are nothing when the process is gone.
ProcessMemory read_process_memory(pid_t pid, const SystemFiles& files = SystemFiles());

/// Proportional set size from smaps_rollup; it walks the page tables, so never inside a timed window (1 ms per GiB and
/// more). Nothing where it is not readable: another user's process, gVisor, kernels before 4.14.
std::optional<long long> read_pss_bytes(pid_t pid, const SystemFiles& files = SystemFiles());

/// Sets the peak of RSS back to the present RSS (clear_refs "5"). False where the kernel refuses: the peak then still
/// covers the whole life of the process.
[[nodiscard]] bool reset_peak_rss(pid_t pid, const SystemFiles& files = SystemFiles());

/// MemAvailable, or what the cgroup has left when that is less. Nothing when neither is readable.
std::optional<long long> available_memory_bytes(const SystemFiles& files = SystemFiles());

}  // namespace transformeter
