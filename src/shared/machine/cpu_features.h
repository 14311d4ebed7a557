// The processor: who made it, which model, and the instruction sets that Transformer kernels care about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/system_files.h"

namespace transformeter {

/// From /proc/cpuinfo's first processor. What the kernel does not say is nothing.
struct CpuDescription {
  std::optional<std::string> model;       // "Intel(R) Xeon(R) Platinum 8488C"; on Arm from the part number
  std::optional<std::string> vendor;      // "GenuineIntel", "AuthenticAMD", "ARM"
  std::optional<long long> family;        // x86 only
  std::optional<long long> model_number;  // x86; on Arm the part number
  std::optional<long long> stepping;      // x86; on Arm the revision
  std::optional<std::string> microcode;   // as the kernel writes it, "0x2b000590"
  std::vector<std::string> features;      // of known_cpu_features(), in that order
  bool features_known = false;            // false: the kernel lists none, so absence means nothing
  bool hypervisor = false;                // the x86 flag of a virtual machine

  bool has(std::string_view feature) const;
};

/// The features looked for, in the kernel's spelling, x86 and Arm.
const std::vector<std::string>& known_cpu_features();

CpuDescription read_cpu_description(const SystemFiles& files);

/// Whether matrix products in bf16 have instructions of their own: avx512_bf16 or amx_bf16 on x86, bf16 on Arm.
/// (i8mm on Arm multiplies 8-bit integers and says nothing of bf16.) Elsewhere bf16 is emulated, slower than fp32.
bool has_native_bf16(const CpuDescription& cpu);
/// The same in fp16: avx512_fp16, amx_fp16, or asimdhp on Arm.
bool has_native_fp16(const CpuDescription& cpu);
/// The same of 8-bit integers: VNNI, amx_int8, or i8mm and asimddp on Arm.
bool has_native_int8(const CpuDescription& cpu);

}  // namespace transformeter
