// From the graph as it is executed, whose nodes name their kernels and formats.
#include "open_vino/read_back.h"

#include <fmt/format.h>

#include <cstdint>
#include <openvino/core/model.hpp>
#include <openvino/core/version.hpp>
#include <openvino/runtime/properties.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "model/ran_products.h"

namespace transformeter {
namespace {

// A setting's word for a format, and OpenVINO's.
constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"fp32", "f32"}, {"bf16", "bf16"}, {"fp16", "f16"}};

// Of the last dimension; 0: unknown.
std::int64_t width_of(const ov::PartialShape& shape) {
  if (shape.rank().is_dynamic() || shape.size() == 0 || shape[shape.size() - 1].is_dynamic()) return 0;
  return shape[shape.size() - 1].get_length();
}

}  // namespace

// "2026.4.1-22982-…": the release stands before the build.
std::string library_name() {
  const std::string build = ov::get_openvino_version().buildNumber;
  return "OpenVINO " + build.substr(0, build.find('-'));
}

std::string format_name(std::string_view theirs) {
  for (const auto& [ours, known] : kFormats) {
    if (theirs == known) return std::string(ours);
  }
  if (theirs == "i8") return "int8";
  return theirs == "u8" ? "uint8" : std::string(theirs);
}

std::string fact_of(const ov::Node& node, const char* name) {
  const auto& facts = node.get_rt_info();
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second.as<std::string>();
}

std::string hint_of(const std::string& precision) {
  for (const auto& [ours, theirs] : kFormats) {
    if (precision == ours) return std::string(theirs);
  }
  throw Error(ErrorKind::kUnsupported, fmt::format("engine openvino has no precision {} here", precision));
}

ModelReadback read_back(const ov::CompiledModel& compiled) {
  ModelReadback readback;
  readback.library = library_name();
  readback.attention_kernel = "own";
  readback.threads = compiled.get_property(ov::inference_num_threads);
  RanProducts products;
  const std::shared_ptr<const ov::Model> executed = compiled.get_runtime_model();
  for (const auto& node : executed->get_ordered_ops()) {
    const std::string kind = fact_of(*node, "layerType");
    const std::string kernel = fact_of(*node, "primitiveType");
    // Fused with what stands around it, its name is one of several.
    if (fact_of(*node, "originalLayersNames").find("ScaledDotProductAttention") != std::string::npos) {
      readback.attention_kernel = kernel;
    }
    if (kind != "FullyConnected") continue;
    const std::string format = format_name(fact_of(*node, "runtimePrecision"));
    const std::string input = format_name(node->get_input_element_type(0).get_type_name());
    // Weights in floating point are named as they were handed over, and run as the activations.
    const ov::element::Type handed_over = node->get_input_element_type(1);
    const std::string weight = handed_over.is_real() ? input : format_name(handed_over.get_type_name());
    // How many rows there are is left open.
    products.add({kernel, format, input, weight, width_of(node->get_input_partial_shape(0)),
                  width_of(node->get_output_partial_shape(0))});
  }
  products.tell(readback);
  // Products in int8 are the file's own; what is left to the engine is the format of the rest.
  if (readback.precision.empty() || readback.precision.ends_with("int8")) {
    readback.precision = format_name(compiled.get_property(ov::hint::inference_precision).to_string());
  }
  return readback;
}

}  // namespace transformeter
