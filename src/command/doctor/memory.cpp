// Memory and processors as far as the kernel and a container let us have them.
#include <fmt/format.h>

#include "base/units.h"
#include "doctor/environment_parts.h"
#include "machine/limits.h"

namespace transformeter {
namespace {

using enum CheckLevel;

constexpr long long kComfortableBytes = 4LL << 30;

std::string bytes_text(const Json& value) {
  return value.is_number() ? format_bytes(value.get<double>()) : "unknown";
}

Check processor_quota(const Json& container) {
  const std::string why = "once the quota is used up, all threads stop for the rest of each period (throttled)";
  const Json& allowed = container.at("allowed_cpu_count");
  const std::string cpus = fmt::format("{} CPUs allowed", allowed.is_number() ? allowed.dump() : "unknown");
  const Json& quota = container.at("cpu_limit_count");
  if (!quota.is_number()) return {kOk, "processor quota", "none, " + cpus, why, ""};
  const std::string state = fmt::format("{:.3g} CPUs, {}", quota.get<double>(), cpus);
  if (allowed.is_number() && quota.get<double>() >= allowed.get<double>()) {
    return {kOk, "processor quota", state, why, ""};
  }
  return {kLimited, "processor quota", state, why,
          "threads=auto stays below it; dedicated CPUs (docker --cpuset-cpus) give steadier results"};
}

Check memory(const Json& environment) {
  const Json& available = environment.at("memory").at("available_bytes");
  const Json& limit = environment.at("container").at("memory_limit_bytes");
  const std::string state =
      fmt::format("{} available{}", bytes_text(available),
                  limit.is_number() ? fmt::format(", container limit {}", bytes_text(limit)) : "");
  const std::string why =
      fmt::format("a worker may use the available memory minus {}; beyond that a case ends as out_of_memory",
                  format_bytes(static_cast<double>(kMemoryReserveBytes)));
  if (!available.is_number()) return {kLimited, "memory", state, why, "set --memory-limit"};
  if (available.get<long long>() <= kMemoryReserveBytes) {
    return {kProblem, "memory", state, why, "stop other programs or raise the container's memory limit"};
  }
  if (available.get<long long>() < kComfortableBytes) {
    return {kLimited, "memory", state, why, "measure only small models and batches, or free memory"};
  }
  return {kOk, "memory", state, why, ""};
}

Check huge_pages(const Json& section) {
  const Json& mode = section.at("transparent_huge_pages");
  const std::string why = "2 MiB pages speed up large weights, but the kernel may assemble them during the measurement";
  if (!mode.is_string()) return {kOk, "transparent huge pages", "not visible", why, ""};
  const std::string word = mode.get<std::string>();
  if (word != "never") return {kOk, "transparent huge pages", word, why, ""};
  return {kLimited, "transparent huge pages", word, why,
          "run echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled (the usual default)"};
}

Check swap(const Json& section) {
  const std::string why = "swapped-out memory causes major page faults during the measurement";
  const Json& total = section.at("swap_total_bytes");
  if (!total.is_number()) return {kOk, "swap", "not visible", why, ""};
  if (total.get<long long>() == 0) return {kOk, "swap", "none", why, ""};
  const Json& free = section.at("swap_free_bytes");
  const long long used = free.is_number() ? total.get<long long>() - free.get<long long>() : 0;
  const std::string state =
      fmt::format("{}, {} used", bytes_text(total), used > 0 ? format_bytes(static_cast<double>(used)) : "none");
  if (used == 0) return {kOk, "swap", state, why, ""};
  return {kLimited, "swap", state, why,
          "run sudo swapoff -a before measuring, or stop programs until everything fits in memory"};
}

}  // namespace

Checks check_memory(const Json& environment) {
  const Json& section = environment.at("memory");
  return {processor_quota(environment.at("container")), memory(environment), huge_pages(section), swap(section)};
}

}  // namespace transformeter
