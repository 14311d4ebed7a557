// The processor: instruction sets, frequency, threads, and who else is on it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "doctor/environment_parts.h"

namespace transformeter {
namespace {

using enum CheckLevel;

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

Check processor(const Json& cpu) {
  const std::set<std::string> features = words_in(cpu.at("features"));
  const std::string model = cpu.at("model").is_string() ? cpu.at("model").get<std::string>() : "unknown model";
  const std::string vector =
      joined(features, {"avx2", "fma", "avx512f", "avx512_vnni", "amx_tile", "asimd", "sve", "sve2"});
  const std::string why = "LibTorch and oneDNN choose kernels by instruction set";
  if (features.empty()) {
    return {kLimited, "processor", model + ", instruction sets not visible", why,
            "see the worker's instruction set below"};
  }
  const bool is_fast = features.contains("avx2") || features.contains("asimd");
  return {is_fast ? kOk : kLimited, "processor", fmt::format("{}: {}", model, vector.empty() ? "no vectors" : vector),
          why, is_fast ? "" : "expect fp32 to be far slower than with AVX2; compare only results from this machine"};
}

Check precisions(const Json& cpu) {
  const std::set<std::string> features = words_in(cpu.at("features"));
  const std::string by = joined(features, {"amx_bf16", "avx512_bf16", "bf16", "svebf16"});
  if (!by.empty()) {
    return {kOk, "precisions", "fp32, and bf16 by instructions of its own (" + by + ")",
            "precision=auto measures both, since some processors multiply fp32 faster", ""};
  }
  return {kLimited, "precisions",
          features.empty() ? "fp32; cannot tell whether bf16 is native" : "fp32 is fast, bf16 is emulated",
          "bf16 times here do not predict those of a CPU with bf16 instructions; precision=auto skips bf16",
          "measure bf16 on a CPU with AVX512_BF16, AMX or Arm bf16"};
}

Check governor(const Json& frequency) {
  const std::set<std::string> governors = words_in(frequency.at("governors"));
  const std::set<std::string> drivers = words_in(frequency.at("drivers"));
  const std::string why = "if the frequency follows the load, the first samples are slow and the rest vary more";
  if (governors.empty()) {
    return {kLimited, "frequency governor", "not visible", why,
            "nothing to do in a virtual machine; on bare metal check cpupower frequency-info"};
  }
  const std::string state =
      fmt::format("{} ({})", fmt::join(governors, ", "), drivers.empty() ? "unknown driver" : *drivers.begin());
  if (governors == std::set<std::string>{"performance"}) return {kOk, "frequency governor", state, why, ""};
  return {kLimited, "frequency governor", state, why, "run sudo cpupower frequency-set -g performance"};
}

Check turbo(const Json& frequency) {
  const std::string why =
      "turbo depends on temperature and on the number of busy cores, which biases comparisons of thread counts";
  if (!frequency.at("turbo").is_boolean()) {
    return {kLimited, "turbo", "not visible", why, "watch for the verdict reasons clock_unstable and drift"};
  }
  if (!frequency.at("turbo").get<bool>()) return {kOk, "turbo", "off", why, ""};
  return {kLimited, "turbo", "on", why,
          "fine for everyday use; for close comparisons run echo 1 | sudo tee "
          "/sys/devices/system/cpu/intel_pstate/no_turbo (or write 0 to cpufreq/boost)"};
}

Check hardware_threads(const Json& topology) {
  const std::string why = "two threads on a core share its execution units; threads=auto uses one thread per core";
  const Json& cores = topology.at("core_count");
  const Json& threads = topology.at("hardware_thread_count");
  if (!cores.is_number() || !threads.is_number()) {
    return {kLimited, "hyper-threads", "not visible", why, "set --threads"};
  }
  const bool smt = topology.value("hyper_threading", Json()) == true && topology.value("smt_control", Json()) != "off";
  return {kOk, "hyper-threads",
          fmt::format("{}: {} cores, {} hardware threads", smt ? "on" : "off or none", cores.dump(), threads.dump()),
          why, ""};
}

// By the signature that it gives a guest.
std::string hypervisor_name(const Json& signature) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKnown{
      {{"KVMKVMKVM", "KVM"}, {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"}, {"XenVMMXenVMM", "Xen"}}};
  if (!signature.is_string()) return "unnamed hypervisor";
  for (const auto& [known, name] : kKnown) {
    if (signature == known) return std::string(name);
  }
  return signature.get<std::string>();
}

Check virtualization(const Json& environment) {
  const Json& section = environment.at("virtualization");
  const std::string why = "a hypervisor may give the CPU to other guests, and hides frequency and counters";
  if (section.at("virtual_machine") == false) return {kOk, "virtualization", "bare metal", why, ""};
  if (section.at("virtual_machine").is_null()) return {kOk, "virtualization", "not visible", why, ""};
  return {kLimited, "virtualization", fmt::format("virtual machine ({})", hypervisor_name(section.at("hypervisor"))),
          why, "use --replicates 3 or more; for published results, use dedicated hosts"};
}

}  // namespace

Checks check_processor(const Json& environment) {
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
