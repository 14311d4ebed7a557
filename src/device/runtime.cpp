// Reading versions and abilities from LibTorch, and mapping precision names to its types.
#include "device/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "base/error.h"
#include "host/cpu_features.h"

namespace transformeter {
namespace {

constexpr std::array<std::pair<const char*, c10::ScalarType>, 2> kPrecisions{
    {{"fp32", c10::ScalarType::Float}, {"bf16", c10::ScalarType::BFloat16}}};

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

c10::ScalarType scalar_type_of(const std::string& precision) {
  for (const auto& [name, type] : kPrecisions) {
    if (precision == name) return type;
  }
  throw Error(ErrorKind::kUnsupported, fmt::format("precision '{}' has no CPU path; this worker has {}", precision,
                                                   fmt::join(cpu_precisions(), ", ")));
}

std::string precision_name(c10::ScalarType type) {
  for (const auto& [name, known] : kPrecisions) {
    if (type == known) return name;
  }
  return c10::toString(type);
}

std::vector<std::string> cpu_precisions() {
  return {"fp32", "bf16"};
}

std::vector<std::string> native_cpu_precisions() {
  std::vector<std::string> native{"fp32"};
  if (has_native_bf16(read_cpu_description(SystemFiles()))) native.emplace_back("bf16");
  return native;
}

}  // namespace transformeter
