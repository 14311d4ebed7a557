// Chooses the stable parts by name, so that a new key in the environment does not silently change every fingerprint.
#include "machine/fingerprint.h"

#include <cmath>
#include <initializer_list>

#include "base/hash.h"

namespace transformeter {
namespace {

Json pick(const Json& environment, const char* section, std::initializer_list<const char*> keys) {
  Json picked = Json::object();
  const auto found = environment.find(section);
  for (const char* key : keys) {
    picked[key] = found != environment.end() && found->contains(key) ? found->at(key) : Json(nullptr);
  }
  return picked;
}

}  // namespace

std::string host_fingerprint(const Json& environment) {
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  constexpr std::size_t kDigits = 16;
  Json memory = pick(environment, "memory", {"total_bytes"})["total_bytes"];
  if (memory.is_number()) memory = std::llround(memory.get<double>() / kGibibyte);
  const Json parts = {
      {"cpu",
       pick(environment, "cpu", {"model", "vendor", "family", "model_number", "stepping", "microcode", "features"})},
      {"topology", pick(environment, "topology",
                        {"socket_count", "numa_node_count", "core_count", "hardware_thread_count", "caches"})},
      {"memory_gib", memory},
      {"os", pick(environment, "os", {"name", "kernel_release", "architecture"})},
      {"virtualization", pick(environment, "virtualization", {"hypervisor", "product"})},
      {"container", pick(environment, "container", {"cpu_limit_count", "memory_limit_bytes", "allowed_cpu_count"})}};
  return sha256_hex(canonical_json(parts)).substr(0, kDigits);
}

}  // namespace transformeter
