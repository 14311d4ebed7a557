// The numbers of /proc/PID/stat that need care: the program's name before them may hold spaces and brackets.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "machine/system_files.h"

namespace transformeter {

struct ProcessStat {
  double cpu_s = 0;           // user + system, all threads, without children that ended
  long long start_ticks = 0;  // since boot, suspended time included
};

/// Ticks a second (USER_HZ, 100 on Linux).
long ticks_per_second();

/// Nothing when the text is not that of proc_pid_stat(5).
std::optional<ProcessStat> parse_process_stat(std::string_view text);
/// `pid` 0 is the calling process. Nothing when the process is gone.
std::optional<ProcessStat> read_process_stat(pid_t pid, const SystemFiles& files);

}  // namespace transformeter
