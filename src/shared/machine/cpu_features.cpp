// Parses /proc/cpuinfo, whose keys differ between x86 and Arm.
#include "machine/cpu_features.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/text.h"

namespace transformeter {
namespace {

// "6", "0x41".
std::optional<long long> number_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (!text->starts_with("0x")) return parse_integer(*text);
  long long value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data() + 2, end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Implementer codes: Arm Architecture Reference Manual, MIDR_EL1.
std::optional<std::string> arm_vendor(long long implementer) {
  static const std::map<long long, std::string> kVendors = {{0x41, "ARM"},      {0x42, "Broadcom"},  {0x43, "Cavium"},
                                                            {0x46, "Fujitsu"},  {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},
                                                            {0x51, "Qualcomm"}, {0x61, "Apple"},     {0xc0, "Ampere"}};
  const auto found = kVendors.find(implementer);
  if (found == kVendors.end()) return std::nullopt;
  return found->second;
}

// Part numbers of Arm's own server cores: each core's Technical Reference Manual, MIDR_EL1.
std::optional<std::string> arm_model(long long implementer, long long part) {
  static const std::map<std::pair<long long, long long>, std::string> kModels = {
      {{0x41, 0xd08}, "Cortex-A72"},  {{0x41, 0xd0c}, "Neoverse-N1"}, {{0x41, 0xd40}, "Neoverse-V1"},
      {{0x41, 0xd49}, "Neoverse-N2"}, {{0x41, 0xd4f}, "Neoverse-V2"}, {{0x41, 0xd84}, "Neoverse-V3"},
      {{0x41, 0xd8e}, "Neoverse-N3"}};
  const auto found = kModels.find({implementer, part});
  if (found == kModels.end()) return std::nullopt;
  return found->second;
}

void read_features(const std::optional<std::string>& flags, CpuDescription& cpu) {
  if (!flags) return;
  cpu.features_known = true;
  const std::vector<std::string> words = split(*flags, ' ');
  const std::set<std::string> present(words.begin(), words.end());
  for (const std::string& feature : known_cpu_features()) {
    if (present.contains(feature)) cpu.features.push_back(feature);
  }
  cpu.hypervisor = present.contains("hypervisor");
}

}  // namespace

bool CpuDescription::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

const std::vector<std::string>& known_cpu_features() {
  static const std::vector<std::string> kFeatures = {
      // x86
      "sse4_2", "avx", "f16c", "avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni",
      "avx512_bf16", "avx512_fp16", "avx_vnni", "avx_vnni_int8", "avx_ne_convert", "amx_tile", "amx_bf16", "amx_int8",
      "amx_fp16",
      // Arm
      "asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve", "sve2", "svebf16", "svei8mm", "sme", "sme2"};
  return kFeatures;
}

CpuDescription read_cpu_description(const SystemFiles& files) {
  CpuDescription cpu;
  const std::string cpuinfo = files.text("proc/cpuinfo").value_or("");
  cpu.model = field_of(cpuinfo, "model name");
  cpu.vendor = field_of(cpuinfo, "vendor_id");
  cpu.family = count_field(cpuinfo, "cpu family");
  cpu.model_number = count_field(cpuinfo, "model");
  cpu.stepping = count_field(cpuinfo, "stepping");
  cpu.microcode = field_of(cpuinfo, "microcode");
  read_features(field_of(cpuinfo, "flags"), cpu);
  if (const auto implementer = number_of(field_of(cpuinfo, "CPU implementer"))) {
    cpu.vendor = arm_vendor(*implementer);
    cpu.model_number = number_of(field_of(cpuinfo, "CPU part"));
    cpu.stepping = number_of(field_of(cpuinfo, "CPU revision"));
    if (!cpu.model && cpu.model_number) cpu.model = arm_model(*implementer, *cpu.model_number);
    read_features(field_of(cpuinfo, "Features"), cpu);
  }
  return cpu;
}

bool has_native_bf16(const CpuDescription& cpu) {
  return cpu.has("avx512_bf16") || cpu.has("amx_bf16") || cpu.has("bf16");
}

bool has_native_fp16(const CpuDescription& cpu) {
  return cpu.has("avx512_fp16") || cpu.has("amx_fp16") || cpu.has("asimdhp");
}

bool has_native_int8(const CpuDescription& cpu) {
  return cpu.has("avx512_vnni") || cpu.has("avx_vnni") || cpu.has("amx_int8") || cpu.has("i8mm") || cpu.has("asimddp");
}

}  // namespace transformeter
