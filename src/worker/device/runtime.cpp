// Reading versions and abilities from LibTorch, and mapping precision names to its types.
#include "device/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "machine/cpu_features.h"

namespace transformeter {
namespace {

struct Precision {
  const char* name;
  c10::ScalarType activations;
};
constexpr std::string_view kTf32 = "tf32";  // a GPU's way with fp32

// The first with a type is what that type is called.
constexpr std::array kPrecisions{Precision{"fp32", c10::ScalarType::Float},
                                 Precision{"tf32", c10::ScalarType::Float},
                                 Precision{"bf16", c10::ScalarType::BFloat16},
                                 Precision{"fp16", c10::ScalarType::Half},
                                 Precision{"int8", c10::ScalarType::Float},
                                 Precision{"int8_static", c10::ScalarType::Float},
                                 Precision{"int8_weight_only", c10::ScalarType::BFloat16}};

// "Intel(R) MKL-DNN v3.13.3 (Git Hash ...)" to "3.13.3"; the text itself when it has no version.
std::string version_in(const std::string& text) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(R"(v(\d+(\.\d+)+))")) ? match[1].str() : text;
}

}  // namespace

Json describe_runtime() {
  return {{"libtorch", TORCH_VERSION},
          {"onednn", version_in(at::get_mkldnn_version())},
          {"mkl", at::get_mkl_version()},
          {"openmp", at::get_openmp_version()},
          {"instruction_set", at::get_cpu_capability()},
          {"compiler", __VERSION__},
          {"threads", at::get_num_threads()},
          {"interop_threads", at::get_num_interop_threads()},
          {"parallel_backend", at::hasOpenMP() ? "OpenMP" : "native"}};
}

std::string runtime_text() {
  return fmt::format("on LibTorch {}, oneDNN {}, instruction set {}", TORCH_VERSION,
                     version_in(at::get_mkldnn_version()), at::get_cpu_capability());
}

std::string kernels_text() {
  std::string text = fmt::format("{}, MKL {}", runtime_text(), at::hasMKL() ? at::get_mkl_version() : "none");
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR"}) {
    if (const char* value = std::getenv(name)) text += fmt::format(", {}={}", name, value);
  }
  return text;
}

c10::ScalarType activation_type_of(const std::string& precision) {
  for (const Precision& known : kPrecisions) {
    if (precision == known.name) return known.activations;
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("unknown precision '{}'; this worker has {}", precision, fmt::join(cpu_precisions(), ", ")));
}

std::int64_t weight_element_bytes(const std::string& precision) {
  const c10::ScalarType type = activation_type_of(precision);
  return precision.starts_with("int8") ? 1 : static_cast<std::int64_t>(c10::elementSize(type));
}

std::string precision_name(c10::ScalarType type) {
  for (const Precision& known : kPrecisions) {
    if (type == known.activations) return known.name;
  }
  return c10::toString(type);
}

void allow_tf32(bool allowed) {
  at::globalContext().setAllowTF32CuBLAS(allowed);
  at::globalContext().setAllowTF32CuDNN(allowed);
}

bool is_tf32_allowed() {
  return at::globalContext().allowTF32CuBLAS();
}

std::vector<std::string> cpu_precisions() {
  std::vector<std::string> names;
  for (const Precision& known : kPrecisions) {
    if (std::string_view(known.name) != kTf32) names.emplace_back(known.name);
  }
  return names;
}

std::vector<std::string> native_cpu_precisions() {
  std::vector<std::string> native{"fp32"};
  const CpuDescription processor = read_cpu_description(SystemFiles());
  if (has_native_bf16(processor)) native.emplace_back("bf16");
  if (has_native_fp16(processor)) native.emplace_back("fp16");
  if (has_native_int8(processor)) {
    for (const char* name : {"int8", "int8_static", "int8_weight_only"}) native.emplace_back(name);
  }
  return native;
}

}  // namespace transformeter
