// A machine without a GPU is whole; a GPU that cannot be used, or not alone, is limited.
#include "doctor/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/units.h"

namespace transformeter {
namespace {

using enum CheckLevel;

constexpr const char* kWhy = "device=auto picks the best device the worker supports";

std::string driver_text(const GpuReport& report) {
  std::string text = fmt::format("driver {}", report.kernel_module.value_or("unknown"));
  if (report.cuda_version) text += fmt::format(" (CUDA {})", cuda_version_text(*report.cuda_version));
  return text;
}

Check no_gpu(const GpuReport& report) {
  if (!report.kernel_module) return {kOk, "GPU", "no NVIDIA driver; models run on the CPU", kWhy, ""};
  return {kLimited, "GPU", fmt::format("{}: {}", driver_text(report), report.why_no_cuda), kWhy,
          "give the container access to the GPU and the driver's libraries (docker --gpus all)"};
}

std::size_t strangers(const GpuState& state, pid_t own_pid) {
  if (!state.processes) return 0;
  return static_cast<std::size_t>(std::count_if(state.processes->begin(), state.processes->end(),
                                                [&](const GpuProcess& process) { return process.pid != own_pid; }));
}

// What makes figures of this GPU less than they seem, and what to do about it.
std::vector<std::pair<std::string, std::string>> doubts(const GpuState& state, pid_t own_pid) {
  std::vector<std::pair<std::string, std::string>> found;
  if (const std::size_t others = strangers(state, own_pid); others > 0) {
    found.emplace_back(fmt::format("{} other process(es) on it", others), "stop them (nvidia-smi lists them)");
  }
  if (state.facts.mig.value_or(false)) {
    found.emplace_back("split into MIG instances", "results are those of one instance, not of the whole GPU");
  }
  if (state.facts.compute_mode.value_or("default") != "default") {
    found.emplace_back(fmt::format("compute mode {}", *state.facts.compute_mode),
                       "a second worker may be refused; run nvidia-smi -c DEFAULT");
  }
  if (state.reading.throttling && state.reading.throttling->any()) {
    found.emplace_back("currently throttled", "let it cool down; nvidia-smi -q -d PERFORMANCE shows why");
  }
  return found;
}

Check check_gpu(const GpuReport& report, std::size_t ordinal, pid_t own_pid) {
  const GpuState& state = report.gpus[ordinal];
  std::string text = state.gpu.name;
  if (state.gpu.total_bytes) text += ", " + format_bytes(static_cast<double>(*state.gpu.total_bytes));
  text += fmt::format(", compute capability {}.{}, {}", state.gpu.capability_major, state.gpu.capability_minor,
                      driver_text(report));
  std::string advice;
  for (const auto& [what, remedy] : doubts(state, own_pid)) {
    text += ", " + what;
    advice += (advice.empty() ? "" : "; ") + remedy;
  }
  if (!report.why_no_nvml.empty()) {
    text += ", no NVML: " + report.why_no_nvml;
    advice += std::string(advice.empty() ? "" : "; ") +
              "install the libnvidia-ml1 that matches the driver: it provides clocks, energy and the list of processes";
  }
  const CheckLevel level = advice.empty() ? kOk : kLimited;
  return {level, fmt::format("GPU cuda:{}", ordinal), text, kWhy, advice};
}

}  // namespace

Checks check_gpus(const GpuReport& report, pid_t own_pid) {
  if (report.gpus.empty()) return {no_gpu(report)};
  Checks checks;
  for (std::size_t ordinal = 0; ordinal < report.gpus.size(); ++ordinal) {
    checks.push_back(check_gpu(report, ordinal, own_pid));
  }
  return checks;
}

}  // namespace transformeter
