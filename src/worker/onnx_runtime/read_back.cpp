// A profile is a list of events; those of nodes name the operator, and the formats and shapes of what it read and
// wrote. A weight that a kernel keeps in a form of its own is not among them.
#include "onnx_runtime/read_back.h"

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_file.h"

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

// Of the last dimensions of what it multiplies. An attention that has no weights of its own, and a product of two
// activations, as of queries with keys, are none.
struct Product {
  std::string input, weight;
  std::int64_t inputs = 0, outputs = 0;
};

std::optional<Product> product_of(const std::string& op, const Json& arguments) {
  const auto* kind = std::find_if(kProducts.begin(), kProducts.end(), [&](const auto& one) { return one.op == op; });
  if (kind == kProducts.end()) return std::nullopt;
  const std::vector<Shaped> inputs = shaped_of(arguments, "input_type_shape");
  const std::vector<Shaped> outputs = shaped_of(arguments, "output_type_shape");
  if (inputs.empty() || outputs.empty()) return std::nullopt;
  const auto second = inputs.size() > 1 ? inputs[1].shape.size() : 0;
  if (second > 2 || (op == "MatMul" && second == 1)) return std::nullopt;
  Product product{kind->input.empty() ? inputs[0].format : std::string(kind->input),
                  kind->weight.empty() ? inputs[0].format : std::string(kind->weight), inputs[0].width(),
                  outputs[0].width()};
  // Queries, keys and values in one product, whose bias is as wide as they are together.
  if (is_attention(op)) product.outputs = inputs.size() > 1 ? inputs[1].width() : 0;
  return product;
}

std::string largest(const std::map<std::string, double>& shares, const char* otherwise) {
  const auto found = std::max_element(shares.begin(), shares.end(),
                                      [](const auto& left, const auto& right) { return left.second < right.second; });
  return found == shares.end() ? otherwise : found->first;
}

void read_events(const Json& events, ModelReadback& readback) {
  std::map<std::string, double> kernels, precisions;
  std::map<std::tuple<std::string, std::string, bool>, LinearType> types;  // of input and weight; whether it is small
  double all = 0;
  for (const Json& event : events) {
    if (event.value("cat", "") != "Node" || !event.value("name", "").ends_with("_kernel_time")) continue;
    const Json& arguments = event.at("args");
    const auto op = arguments.value("op_name", std::string());
    if (is_attention(op)) readback.attention_kernel = op;
    const auto product = product_of(op, arguments);
    if (!product) continue;
    const double operations = static_cast<double>(product->inputs) * static_cast<double>(product->outputs);
    const bool is_small = std::min(product->inputs, product->outputs) < kSmallestInt8Side;
    kernels[op] += operations;
    precisions[product->weight] += operations;
    LinearType& type = types[{product->input, product->weight, is_small}];
    type.input = product->input;
    type.weight = product->weight;
    type.is_small = is_small;
    type.count += 1;
    type.flop_share += operations;
    all += operations;
  }
  readback.linear_kernel = largest(kernels, "none");
  readback.precision = largest(precisions, "fp32");
  for (auto& [key, type] : types) {
    if (all > 0) type.flop_share /= all;
    readback.linear_types.push_back(type);
  }
  std::stable_sort(readback.linear_types.begin(), readback.linear_types.end(),
                   [](const LinearType& left, const LinearType& right) { return left.flop_share > right.flop_share; });
}

}  // namespace

ModelReadback read_profile(const std::filesystem::path& file, const std::string& precision) {
  ModelReadback readback;
  readback.library = "ONNX Runtime " + Ort::GetVersionString();
  readback.attention_kernel = "own";
  readback.linear_kernel = "none";
  const auto unreadable = [&](const std::string& why) {
    return Error(
        ErrorKind::kEnvironment,
        fmt::format("ONNX Runtime's profile of the first pass, which says what ran, cannot be read ({}); is the "
                    "disk of temporary files full?",
                    why));
  };
  try {
    read_events(parse_json("profile", read_file(file)), readback);
  } catch (const Error& error) {
    throw unreadable(error.what());
  } catch (const Json::exception& error) {
    throw unreadable(error.what());
  }
  if (precision == "fp32" && readback.precision == "int8") readback.precision = "fp32";
  return readback;
}

}  // namespace transformeter
