// proc_pid_stat(5): field 14 utime, 15 stime, 22 starttime, counted from 1; field 2 is the name in brackets.
#include "machine/process_stat.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace transformeter {

long ticks_per_second() {
  return ::sysconf(_SC_CLK_TCK);
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> words = split(trim(text.substr(bracket + 1)), ' ');  // words[0] is field 3
  if (words.size() < 20) return std::nullopt;
  const auto user = parse_integer(words[14 - 3]);
  const auto system = parse_integer(words[15 - 3]);
  const auto start = parse_integer(words[22 - 3]);
  if (!user || !system || !start) return std::nullopt;
  return ProcessStat{.cpu_s = static_cast<double>(*user + *system) / static_cast<double>(ticks_per_second()),
                     .start_ticks = *start};
}

std::optional<ProcessStat> read_process_stat(pid_t pid, const SystemFiles& files) {
  const auto text = files.text(files.process_file(pid, "stat"));
  return text ? parse_process_stat(*text) : std::nullopt;
}

}  // namespace transformeter
