// A profile is a list of events; those of nodes name the operator, and the formats and shapes of what it read and
// wrote. A weight that a kernel keeps in a form of its own is not among them.
#include "onnx_runtime/read_back.h"

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_file.h"
#include "model/ran_products.h"

namespace transformeter {
namespace {

// ONNX Runtime's word for a format, and a setting's.
constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"float", "fp32"}, {"double", "fp64"}, {"float16", "fp16"}, {"bfloat16", "bf16"}};

// Operators that multiply by weights, and the formats in which those do that are not the input's.
struct ProductKind {
  std::string_view op;
  std::string_view input, weight;
};
constexpr std::array kProducts{
    ProductKind{"MatMul", "", ""},
    ProductKind{"FusedMatMul", "", ""},
    ProductKind{"Gemm", "", ""},
    ProductKind{"FusedGemm", "", ""},
    ProductKind{"Attention", "", ""},
    ProductKind{"DynamicQuantizeMatMul", "uint8", "int8"},
    ProductKind{"MatMulInteger", "", "int8"},
    ProductKind{"MatMulIntegerToFloat", "", "int8"},
    ProductKind{"QLinearMatMul", "", "int8"},
    ProductKind{"QGemm", "", "int8"},
    ProductKind{"QAttention", "", "int8"},
    ProductKind{"MatMulNBits", "", "packed"},
};
constexpr std::string_view kAttention[] = {"Attention", "MultiHeadAttention", "GroupQueryAttention", "QAttention"};

struct Shaped {
  std::string format;
  std::vector<std::int64_t> shape;

  std::int64_t width() const { return shape.empty() ? 0 : shape.back(); }
  std::int64_t rows() const {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
    return rows;
  }
};

std::string format_name(const std::string& theirs) {
  for (const auto& [known, ours] : kFormats) {
    if (theirs == known) return std::string(ours);
  }
  return theirs;
}

std::vector<Shaped> shaped_of(const Json& arguments, const char* name) {
  std::vector<Shaped> all;
  const Json listed = arguments.value(name, Json::array());
  for (const Json& one : listed) {
    for (const auto& [format, shape] : one.items()) {
      all.push_back({format_name(format), shape.get<std::vector<std::int64_t>>()});
    }
  }
  return all;
}

bool is_attention(std::string_view op) {
  return std::find(std::begin(kAttention), std::end(kAttention), op) != std::end(kAttention);
}

// Nothing for an attention that has no weights of its own, and for a product of two activations, as of queries with
// keys.
std::optional<RanProduct> product_of(const std::string& op, const Json& arguments) {
  const auto* kind = std::find_if(kProducts.begin(), kProducts.end(), [&](const auto& one) { return one.op == op; });
  if (kind == kProducts.end()) return std::nullopt;
  const std::vector<Shaped> inputs = shaped_of(arguments, "input_type_shape");
  const std::vector<Shaped> outputs = shaped_of(arguments, "output_type_shape");
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

void read_events(const Json& events, bool is_int8_asked, ModelReadback& readback) {
  RanProducts products;
  for (const Json& event : events) {
    if (event.value("cat", "") != "Node" || !event.value("name", "").ends_with("_kernel_time")) continue;
    const Json& arguments = event.at("args");
    const auto op = arguments.value("op_name", std::string());
    if (is_attention(op)) readback.attention_kernel = op;
    auto product = product_of(op, arguments);
    if (!product) continue;
    // A file's own quantized products say nothing of the format of the rest, which is what was asked for.
    const bool is_quantized = product->weight != product->input || product->weight == "int8";
    if (!is_quantized || is_int8_asked) product->precision = product->weight;
    products.add(*product);
  }
  products.tell(readback);
  if (readback.precision.empty()) readback.precision = "fp32";  // none but quantized products
}

}  // namespace

ModelReadback read_profile(const std::filesystem::path& file, const std::string& precision) {
  ModelReadback readback;
  readback.library = "ONNX Runtime " + Ort::GetVersionString();
  readback.attention_kernel = "own";
  const auto unreadable = [&](const std::string& why) {
    return Error(
        ErrorKind::kEnvironment,
        fmt::format("ONNX Runtime's profile of the first pass, which says what ran, cannot be read ({}); is the "
                    "disk of temporary files full?",
                    why));
  };
  try {
    read_events(parse_json("profile", read_file(file)), precision == "int8", readback);
  } catch (const Error& error) {
    throw unreadable(error.what());
  } catch (const Json::exception& error) {
    throw unreadable(error.what());
  }
  return readback;
}

}  // namespace transformeter
