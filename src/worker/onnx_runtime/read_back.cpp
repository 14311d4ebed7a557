// A profile is a list of events; those of nodes name the operator, and the formats and shapes of what it read and
// wrote. A weight that a kernel keeps in a form of its own is not among them.
#include "onnx_runtime/read_back.h"

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "model/node_work.h"
#include "model/ran_products.h"
#include "onnx_runtime/node_events.h"
#include "onnx_runtime/node_kinds.h"

namespace transformeter {
namespace {

// Nothing for an attention that has no weights of its own, and for a product of two activations, as of queries with
// keys.
std::optional<RanProduct> product_of(const std::string& op, const Json& arguments) {
  const ProductKind* const kind = find_product_kind(op);
  if (kind == nullptr) return std::nullopt;
  const std::vector<ShapedValue> inputs = shaped_values(arguments, "input_type_shape");
  const std::vector<ShapedValue> outputs = shaped_values(arguments, "output_type_shape");
  if (inputs.empty() || outputs.empty()) return std::nullopt;
  const auto second = inputs.size() > 1 ? inputs[1].shape.size() : 0;
  if (second > 2 || (op == "MatMul" && second == 1)) return std::nullopt;
  RanProduct product;
  product.kernel = op;
  product.input = kind->input.empty() ? inputs[0].format : std::string(kind->input);
  product.weight = kind->weight.empty() ? inputs[0].format : std::string(kind->weight);
  product.inputs = inputs[0].width();
  // Queries, keys and values in one product, whose bias is as wide as they are together.
  product.outputs = !is_attention(op) ? outputs[0].width() : inputs.size() > 1 ? inputs[1].width() : 0;
  product.rows = inputs[0].rows();
  return product;
}

void read_products(const std::string& profile, bool is_int8_asked, ModelReadback& readback) {
  RanProducts products;
  read_events(profile, [&](const Json& event) {
    if (!is_of_node(event)) return;
    const Json& arguments = event.at("args");
    const auto op = arguments.value("op_name", std::string());
    if (is_attention(op)) readback.attention_kernel = op;
    auto product = product_of(op, arguments);
    if (!product) return;
    // A file's own quantized products say nothing of the format of the rest, which is what was asked for.
    const bool is_quantized = product->weight != product->input || product->weight == "int8";
    if (!is_quantized || is_int8_asked) product->precision = product->weight;
    products.add(*product);
  });
  products.tell(readback);
  if (readback.precision.empty()) readback.precision = "fp32";  // none but quantized products
}

}  // namespace

std::string library_name() {
  return "ONNX Runtime " + Ort::GetVersionString();
}

ModelReadback read_profile(const std::filesystem::path& file, const std::string& precision) {
  ModelReadback readback;
  readback.library = library_name();
  readback.attention_kernel = "own";
  const auto unreadable = [&](const std::string& why) {
    return Error(
        ErrorKind::kEnvironment,
        fmt::format("ONNX Runtime's profile of the first pass, which says what ran, cannot be read ({}); is the "
                    "disk of temporary files full?",
                    why));
  };
  try {
    read_products(read_file(file), precision == "int8", readback);
  } catch (const Error& error) {
    throw unreadable(error.what());
  } catch (const Json::exception& error) {
    throw unreadable(json_fault(error));
  }
  return readback;
}

}  // namespace transformeter
