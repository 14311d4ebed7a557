// Asked before the first worker has a context: every process is another's, also where a container hides numbers.
#include "run/other_gpu_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "machine/gpu_meter.h"

namespace transformeter {
namespace {

std::set<int> ordinals_of(const std::vector<PlannedCase>& cases) {
  std::set<int> ordinals;
  for (const PlannedCase& planned : cases) {
    if (planned.record.status) continue;  // it is done, or will not run
    if (const auto ordinal = cuda_ordinal(planned.asked.device)) ordinals.insert(*ordinal);
  }
  return ordinals;
}

std::string text_of(const std::vector<GpuProcess>& processes) {
  std::string text;
  for (const GpuProcess& process : processes) {
    text += fmt::format("{}process {}", text.empty() ? "" : ", ", process.pid);
    if (process.memory_bytes) text += fmt::format(" ({})", format_bytes(static_cast<double>(*process.memory_bytes)));
  }
  return text;
}

}  // namespace

void check_other_gpu_processes(const Context& context, const Plan& plan, const std::vector<PlannedCase>& cases) {
  const bool refuses = plan.text_or("busy_gpu", "warn") == "error";  // runs of earlier versions have no such setting
  for (const int ordinal : ordinals_of(cases)) {
    std::string why_not;
    const auto gpu = GpuMeter::open(ordinal, why_not);
    const auto processes = gpu ? gpu->snapshot().processes : std::nullopt;
    if (!processes) continue;
    const std::vector<GpuProcess> others = other_gpu_processes(*processes, {static_cast<int>(::getpid())}).processes;
    if (others.empty()) continue;
    const std::string who =
        fmt::format("GPU cuda:{} ({}) is in use by other processes: {}", ordinal, gpu->facts().name, text_of(others));
    if (refuses) {
      throw Error(
          ErrorKind::kEnvironment,
          fmt::format("{}. Stop them, choose another GPU (--device cuda:N), or accept them with --busy-gpu warn", who));
    }
    context.log(LogLevel::kWarning, who + "; cases on it will be doubtful (foreign_load)");
  }
}

}  // namespace transformeter
