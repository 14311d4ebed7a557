// One function for each section. A figure that is missing becomes null with its cause, never 0 and never a default.
#include "machine/environment.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "machine/cgroup.h"
#include "machine/compiler.h"
#include "machine/cpu_features.h"
#include "machine/cpu_list.h"
#include "machine/fingerprint.h"
#include "machine/huge_pages.h"
#include "machine/process_memory.h"
#include "machine/timer.h"
#include "machine/topology.h"

namespace transformeter {
namespace {

class Section {
 public:
  template <typename T>
  void set(const char* key, const std::optional<T>& value, const char* reason_if_null = nullptr) {
    json_[key] = value ? Json(*value) : Json(nullptr);
    if (!value && reason_if_null != nullptr) json_["null_reasons"][key] = reason_if_null;
  }
  void set(const char* key, Json value) { json_[key] = std::move(value); }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Json describe_cpu(const CpuDescription& cpu) {
  Section section;
  section.set("model", cpu.model, "not in /proc/cpuinfo, and not a known Arm part number");
  section.set("vendor", cpu.vendor, "not in /proc/cpuinfo");
  section.set("family", cpu.family, "not in /proc/cpuinfo (x86 only)");
  section.set("model_number", cpu.model_number, "not in /proc/cpuinfo");
  section.set("stepping", cpu.stepping, "not in /proc/cpuinfo");
  section.set("microcode", cpu.microcode, "not in /proc/cpuinfo (x86 only)");
  section.set("features", cpu.features_known ? std::optional(cpu.features) : std::nullopt, "not in /proc/cpuinfo");
  section.set("native_bf16", cpu.features_known ? std::optional(has_native_bf16(cpu)) : std::nullopt,
              "the CPU's features are unknown");
  return section.take();
}

Json describe_threads(const EnvironmentOptions& options) {
  Json topology = describe_topology(options.topology);
  const auto online = options.files.text("sys/devices/system/cpu/online");
  const auto cpus = online ? parse_cpu_list(*online) : std::nullopt;
  topology["online_hardware_threads"] = online ? Json(*online) : Json(nullptr);
  topology["online_hardware_thread_count"] = cpus ? Json(cpus->size()) : Json(nullptr);
  const auto smt = options.files.text("sys/devices/system/cpu/smt/control");
  topology["smt_control"] = smt ? Json(*smt) : Json(nullptr);
  return topology;
}

Json describe_memory(const SystemFiles& files) {
  const std::string meminfo = files.text("proc/meminfo").value_or("");
  constexpr const char* kReason = "not in /proc/meminfo";
  Section section;
  section.set("total_bytes", bytes_field(meminfo, "MemTotal"), kReason);
  section.set("available_bytes", available_memory_bytes(files), kReason);
  section.set("swap_total_bytes", bytes_field(meminfo, "SwapTotal"), kReason);
  section.set("swap_free_bytes", bytes_field(meminfo, "SwapFree"), kReason);
  section.set("huge_page_bytes", bytes_field(meminfo, "Hugepagesize"), kReason);
  section.set("huge_page_count", count_field(meminfo, "HugePages_Total"), kReason);
  section.set("free_huge_page_count", count_field(meminfo, "HugePages_Free"), kReason);
  section.set("transparent_huge_pages", transparent_huge_page_mode(files), "the kernel has no transparent huge pages");
  section.set("numa_balancing", files.integer("proc/sys/kernel/numa_balancing"), "the kernel has no NUMA balancing");
  return section.take();
}

// The frequency policies of all CPUs folded into one answer: the words that occur, the lowest and highest limits.
Json describe_frequency(const SystemFiles& files) {
  std::set<std::string> drivers;
  std::set<std::string> governors;
  std::optional<long long> lowest;
  std::optional<long long> highest;
  const std::string folder = "sys/devices/system/cpu/cpufreq/";
  for (const std::string& policy : files.list(folder)) {
    if (!policy.starts_with("policy")) continue;
    if (const auto driver = files.text(folder + policy + "/scaling_driver")) drivers.insert(*driver);
    if (const auto governor = files.text(folder + policy + "/scaling_governor")) governors.insert(*governor);
    const auto minimum = files.integer(folder + policy + "/scaling_min_freq");
    const auto maximum = files.integer(folder + policy + "/scaling_max_freq");
    if (minimum) lowest = std::min(lowest.value_or(*minimum), *minimum);
    if (maximum) highest = std::max(highest.value_or(*maximum), *maximum);
  }
  const auto words = [](const std::set<std::string>& set) {
    return set.empty() ? std::optional<std::set<std::string>>() : std::optional(set);
  };
  const auto hertz = [](std::optional<long long> kilohertz) {
    return kilohertz ? std::optional(*kilohertz * 1000) : std::nullopt;
  };
  std::optional<bool> turbo;
  if (const auto no_turbo = files.integer("sys/devices/system/cpu/intel_pstate/no_turbo")) turbo = *no_turbo == 0;
  if (const auto boost = files.integer(folder + "boost"); boost && !turbo) turbo = *boost != 0;

  constexpr const char* kReason = "no cpufreq interface (usual in virtual machines)";
  Section section;
  section.set("drivers", words(drivers), kReason);
  section.set("governors", words(governors), kReason);
  section.set("turbo", turbo, "neither intel_pstate/no_turbo nor cpufreq/boost");
  section.set("scaling_min_hz", hertz(lowest), kReason);
  section.set("scaling_max_hz", hertz(highest), kReason);
  return section.take();
}

std::optional<std::string> unquoted(std::optional<std::string> text) {
  if (text && text->size() >= 2 && text->front() == '"' && text->back() == '"')
    return text->substr(1, text->size() - 2);
  return text;
}

Json describe_os(const SystemFiles& files) {
  const std::string release = files.text("etc/os-release").value_or("");
  Section section;
  section.set("name", unquoted(field_of(release, "PRETTY_NAME")), "not in /etc/os-release");
  section.set("id", unquoted(field_of(release, "ID")), "not in /etc/os-release");
  section.set("version_id", unquoted(field_of(release, "VERSION_ID")), "not in /etc/os-release");
  section.set("kernel_release", files.text("proc/sys/kernel/osrelease"), "not in /proc/sys/kernel/osrelease");
  section.set("architecture", built_for_architecture());
  return section.take();
}

std::optional<std::string> container_kind(const SystemFiles& files) {
  if (auto named = files.text("run/systemd/container")) return named;
  if (files.exists("run/.containerenv")) return "podman";
  if (files.exists(".dockerenv")) return "docker";
  return std::nullopt;
}

Json describe_container(const SystemFiles& files) {
  const CgroupLimits limits = read_cgroup_limits(files);
  const auto allowed = allowed_cpus();
  Section section;
  section.set("kind", container_kind(files), "no sign of a container");
  section.set("cgroup_version", limits.version, "no control groups");
  section.set("cpu_limit_count", limits.cpu_count, "no CPU quota");
  section.set("memory_limit_bytes", limits.memory_limit_bytes, "no memory limit");
  section.set("memory_left_bytes", limits.memory_left_bytes, "no memory limit");
  section.set("cpuset", limits.cpus, "no cpuset controller");
  section.set("allowed_cpus", allowed ? std::optional(format_cpu_list(*allowed)) : std::nullopt,
              "sched_getaffinity failed");
  section.set("allowed_cpu_count", allowed ? std::optional(allowed->size()) : std::nullopt, "sched_getaffinity failed");
  return section.take();
}

// The hypervisor's own signature, CPUID leaf 0x40000000: "KVMKVMKVM", "Microsoft Hv", "VMwareVMware", "XenVMMXenVMM".
std::optional<std::string> hypervisor_signature() {
#if defined(__x86_64__)
  constexpr unsigned kLeaf = 0x40000000;
  std::array<unsigned, 4> registers{};
  __cpuid(kLeaf, registers[0], registers[1], registers[2], registers[3]);
  std::array<char, 13> name{};
  std::memcpy(name.data(), &registers[1], 12);
  return unless_empty(name.data());
#else
  return std::nullopt;
#endif
}

Json describe_virtualization(const SystemFiles& files, const CpuDescription& cpu) {
  std::optional<std::string> hypervisor = files.text("sys/hypervisor/type");
  if (!hypervisor && cpu.hypervisor && files.path("") == "/") hypervisor = hypervisor_signature();
  Section section;
  const bool x86 = cpu.family.has_value();
  section.set("virtual_machine", x86 ? std::optional(cpu.hypervisor) : std::nullopt, "only x86 CPUs report this");
  section.set("hypervisor", hypervisor,
              x86 && !cpu.hypervisor ? "not a virtual machine" : "the hypervisor has no name");
  section.set("vendor", files.text("sys/class/dmi/id/sys_vendor"), "no DMI tables");
  section.set("product", files.text("sys/class/dmi/id/product_name"), "no DMI tables");
  return section.take();
}

Json describe_clock(const SystemFiles& files, const Clock& clock) {
  const TimerCost cost = measure_timer(clock);
  timespec resolution{};
  std::optional<double> declared;
  if (::clock_getres(CLOCK_MONOTONIC, &resolution) == 0) {
    declared = static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec);
  }
  Section section;
  section.set("source", files.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
              "not in /sys/devices/system/clocksource");
  section.set("declared_resolution_s", declared, "clock_getres failed");
  section.set("resolution_s", cost.resolution ? std::optional(cost.resolution->count()) : std::nullopt,
              "the clock did not advance");
  section.set("overhead_s", cost.overhead.count());
  return section.take();
}

Json describe_mitigations(const SystemFiles& files) {
  const std::string folder = "sys/devices/system/cpu/vulnerabilities";
  Json mitigations = Json::object();
  for (const std::string& name : files.list(folder)) {
    if (const auto state = files.text(folder + "/" + name)) mitigations[name] = *state;
  }
  return mitigations.empty() ? Json(nullptr) : mitigations;
}

Json describe_program(const EnvironmentOptions& options) {
  Section section;
  section.set("version", unless_empty(options.program_version));
  section.set("git_commit", unless_empty(options.git_commit), "not built from a git checkout");
  section.set("compiler", describe_compiler());
  return section.take();
}

}  // namespace

Json capture_environment(const EnvironmentOptions& options, const Clock& clock) {
  const SystemFiles& files = options.files;
  const CpuDescription cpu = read_cpu_description(files);
  const auto hostname = files.text("proc/sys/kernel/hostname");
  Json environment = {{"hostname", hostname ? Json(*hostname) : Json(nullptr)},
                      {"cpu", describe_cpu(cpu)},
                      {"topology", describe_threads(options)},
                      {"memory", describe_memory(files)},
                      {"frequency", describe_frequency(files)},
                      {"os", describe_os(files)},
                      {"container", describe_container(files)},
                      {"virtualization", describe_virtualization(files, cpu)},
                      {"clock", describe_clock(files, clock)},
                      {"mitigations", describe_mitigations(files)},
                      {"program", describe_program(options)}};
  environment["fingerprint"] = host_fingerprint(environment);
  return environment;
}

}  // namespace transformeter
