// The processor: instruction sets, frequency, threads, and who else is on it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "doctor/environment_parts.h"

namespace transformeter {
namespace {

using enum DiagnosisLevel;

std::set<std::string> words_in(const Json& list) {
  return list.is_array() ? list.get<std::set<std::string>>() : std::set<std::string>{};
}

std::string joined(const std::set<std::string>& present, std::initializer_list<const char*> wanted) {
  std::vector<std::string> found;
  for (const char* word : wanted) {
    if (present.contains(word)) found.emplace_back(word);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

Diagnosis processor(const Json& cpu) {
  const std::set<std::string> features = words_in(cpu.at("features"));
  const std::string model = cpu.at("model").is_string() ? cpu.at("model").get<std::string>() : "unknown model";
  const std::string vector =
      joined(features, {"avx2", "fma", "avx512f", "avx512_vnni", "amx_tile", "asimd", "sve", "sve2"});
  const std::string why = "LibTorch and oneDNN choose their kernels by these instruction sets";
  if (features.empty()) {
    return {kLimited, "processor", model + ", instruction sets not visible", why,
            "read the worker's instruction_set below instead"};
  }
  const bool is_fast = features.contains("avx2") || features.contains("asimd");
  return {is_fast ? kOk : kLimited, "processor", fmt::format("{}: {}", model, vector.empty() ? "no vectors" : vector),
          why, is_fast ? "" : "expect fp32 far below a processor with AVX2; compare only within this machine"};
}

Diagnosis precisions(const Json& cpu) {
  const std::set<std::string> features = words_in(cpu.at("features"));
  const std::string by = joined(features, {"amx_bf16", "avx512_bf16", "bf16", "svebf16"});
  if (!by.empty()) {
    return {kOk, "precisions", "fp32 and bf16 are fast (" + by + ")", "precision=auto measures both", ""};
  }
  return {kLimited, "precisions",
          features.empty() ? "fp32; whether bf16 is native is not visible" : "fp32 is fast, bf16 is emulated",
          "bf16 times of this machine say nothing of one with bf16 instructions; precision=auto leaves bf16 out",
          "measure bf16 on a processor with AVX512_BF16, AMX or Arm's bf16"};
}

Diagnosis governor(const Json& frequency) {
  const std::set<std::string> governors = words_in(frequency.at("governors"));
  const std::set<std::string> drivers = words_in(frequency.at("drivers"));
  const std::string why =
      "a clock that rises and falls with the load makes the first samples slow and spreads the rest";
  if (governors.empty()) {
    return {kLimited, "frequency governor", "not visible", why,
            "nothing in a virtual machine; on your own machine look at cpupower frequency-info"};
  }
  const std::string state =
      fmt::format("{} ({})", fmt::join(governors, ", "), drivers.empty() ? "driver unknown" : *drivers.begin());
  if (governors == std::set<std::string>{"performance"}) return {kOk, "frequency governor", state, why, ""};
  return {kLimited, "frequency governor", state, why, "sudo cpupower frequency-set -g performance"};
}

Diagnosis turbo(const Json& frequency) {
  const std::string why = "turbo depends on temperature and on how many cores are busy: thread counts compare unevenly";
  if (!frequency.at("turbo").is_boolean()) {
    return {kLimited, "turbo", "not visible", why, "watch the verdict reasons clock_unstable and drift"};
  }
  if (!frequency.at("turbo").get<bool>()) return {kOk, "turbo", "off", why, ""};
  return {kLimited, "turbo", "on", why,
          "fine for one's own use; to compare closely: echo 1 | sudo tee "
          "/sys/devices/system/cpu/intel_pstate/no_turbo (or 0 to cpufreq/boost)"};
}

Diagnosis hardware_threads(const Json& topology) {
  const std::string why = "two threads on one core share its units: threads=auto uses one a core";
  const Json& cores = topology.at("core_count");
  const Json& threads = topology.at("hardware_thread_count");
  if (!cores.is_number() || !threads.is_number()) {
    return {kLimited, "hyper-threads", "not visible", why, "set --threads yourself"};
  }
  const bool smt = topology.value("hyper_threading", Json()) == true && topology.value("smt_control", Json()) != "off";
  return {kOk, "hyper-threads",
          fmt::format("{}: {} cores, {} hardware threads", smt ? "on" : "off or none", cores.dump(), threads.dump()),
          why, ""};
}

Diagnosis virtualization(const Json& environment) {
  const Json& section = environment.at("virtualization");
  const std::string why = "a hypervisor may give the processor to other guests, and hides frequency and counters";
  if (section.at("virtual_machine") == false) return {kOk, "virtualization", "bare metal", why, ""};
  if (section.at("virtual_machine").is_null()) return {kOk, "virtualization", "not visible", why, ""};
  const Json& name = section.at("hypervisor");
  return {kLimited, "virtualization",
          fmt::format("virtual machine ({})", name.is_string() ? name.get<std::string>() : "unnamed hypervisor"), why,
          "use --replicates 3 or more, and dedicated hosts for published numbers"};
}

}  // namespace

Diagnoses diagnose_processor(const Json& environment) {
  const Json& cpu = environment.at("cpu");
  const Json& frequency = environment.at("frequency");
  return {processor(cpu),
          precisions(cpu),
          governor(frequency),
          turbo(frequency),
          hardware_threads(environment.at("topology")),
          virtualization(environment)};
}

}  // namespace transformeter
