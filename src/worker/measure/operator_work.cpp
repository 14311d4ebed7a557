// Tables of names; an operator that is in none of them has no known work.
#include "measure/operator_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "engine/widened_linear.h"

namespace transformeter {
namespace {

double element_bytes(const std::string& type) {
  if (type == "float" || type == "int") return 4;
  if (type == "c10::BFloat16" || type == "c10::Half" || type == "short") return 2;
  if (type == "double" || type == "long int" || type == "long") return 8;
  if (type == "signed char" || type == "unsigned char" || type == "bool" || type == "c10::qint8" ||
      type == "c10::quint8") {
    return 1;
  }
  return 0;
}

double count_of(const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return 0;
  return std::accumulate(shape.begin(), shape.end(), 1.0,
                         [](double product, std::int64_t size) { return product * static_cast<double>(size); });
}

struct Input {
  double count = 0;  // elements
  double bytes = 0;
  double element = 0;
};

Input input_at(const OperatorCall& call, std::size_t place) {
  if (place >= call.shapes.size() || place >= call.types.size()) return {};
  const double element = element_bytes(call.types[place]);
  const double count = element > 0 ? count_of(call.shapes[place]) : 0;
  return {count, count * element, element};
}

double input_bytes(const OperatorCall& call) {
  double bytes = 0;
  for (std::size_t i = 0; i < call.shapes.size(); ++i) bytes += input_at(call, i).bytes;
  return bytes;
}

// A product with a weight [out, in] in any layout: its last size, or that of the input, is summed over.
struct Product {
  std::string_view name;
  std::size_t input, weight;
};
constexpr std::array kProducts{Product{"aten::mm", 0, 1},
                               Product{"aten::addmm", 1, 2},
                               Product{"aten::_addmm_activation", 1, 2},
                               Product{"aten::_int_mm", 0, 1},
                               Product{"aten::_weight_int8pack_mm", 0, 1},
                               Product{"aten::mkldnn_linear", 0, 1},
                               Product{"mkl::_mkl_linear", 0, 2},
                               Product{"mkldnn::_linear_pointwise", 0, 1},
                               Product{"onednn::qlinear_pointwise", 0, 3}};

OperatorWork product_work(const OperatorCall& call, const Product& product) {
  const Input input = input_at(call, product.input);
  Input weight = input_at(call, product.weight);
  // With a residual, mkldnn::_linear_pointwise has it before the weight, both of two or more sizes.
  const bool has_residual = product.name == "mkldnn::_linear_pointwise" && call.shapes.size() == 5;
  if (has_residual) weight = input_at(call, product.weight + 1);
  // Weights that a library has packed may have no type that the profiler knows.
  const std::size_t place = product.weight + (has_residual ? 1 : 0);
  if (weight.count == 0 && place < call.shapes.size()) weight.count = count_of(call.shapes[place]);
  if (input.count == 0 || weight.count == 0 || call.shapes[product.input].empty()) return {};
  const auto inner = static_cast<double>(call.shapes[product.input].back());
  if (inner == 0) return {};
  const double rows = input.count / inner;
  const double outputs = weight.count / inner;
  const double weight_bytes = weight.bytes > 0 ? weight.bytes : weight.count * input.element;
  const double residual_bytes = has_residual ? input_at(call, 1).bytes : 0;
  return {2 * rows * inner * outputs, input.bytes + weight_bytes + residual_bytes + rows * outputs * input.element};
}

// softmax(Q Kᵀ) V: two products of all queries with all keys.
struct Attention {
  std::string_view name;
  std::size_t first = 0;  // input of queries, followed by keys and values
  std::size_t rows = 2;   // which of their four sizes is that of rows, heads and rows in either order
  bool is_backward = false;
};
// Those that start kernels, not the ones around them.
constexpr std::array kAttention{Attention{"aten::_scaled_dot_product_flash_attention_for_cpu"},
                                Attention{"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 1, 2, true},
                                Attention{"transformeter::tiled_attention"},
                                Attention{"transformeter::dropped_attention"},
                                Attention{"transformeter::dropped_attention_backward", 0, 2, true},
                                Attention{"transformeter::widened_attention"},
                                Attention{"aten::_efficient_attention_forward", 0, 1},
                                Attention{"aten::_efficient_attention_backward", 1, 1, true},
                                Attention{"aten::_flash_attention_forward", 0, 1},
                                Attention{"aten::_flash_attention_backward", 1, 1, true},
                                Attention{"aten::_cudnn_attention_forward"},
                                Attention{"aten::_cudnn_attention_backward", 1, 2, true}};

OperatorWork attention_forward_work(const OperatorCall& call, const Attention& kind) {
  const std::size_t first = kind.first;
  if (call.shapes.size() < first + 3 || call.shapes[first].size() != 4 || call.shapes[first + 1].size() != 4) return {};
  const Input query = input_at(call, first);
  const auto keys = static_cast<double>(call.shapes[first + 1][kind.rows]);
  return {4 * query.count * keys, 2 * query.bytes + input_at(call, first + 1).bytes + input_at(call, first + 2).bytes};
}

// Backward, without the scores in memory: those again, and the gradients of scores, queries, keys and values. Inputs
// and their gradients pass through memory.
OperatorWork attention_work(const OperatorCall& call, const Attention& kind) {
  const OperatorWork forward = attention_forward_work(call, kind);
  if (!kind.is_backward) return forward;
  return {forward.flops * 5 / 2, forward.bytes * 2};
}

OperatorWork batched_work(const OperatorCall& call, std::size_t left) {
  if (left + 1 >= call.shapes.size() || call.shapes[left].size() != 3 || call.shapes[left + 1].size() != 3) return {};
  const Input first = input_at(call, left);
  const Input second = input_at(call, left + 1);
  const auto rows = static_cast<double>(call.shapes[left][0]) * static_cast<double>(call.shapes[left][1]);
  const auto columns = static_cast<double>(call.shapes[left + 1][2]);
  return {2 * first.count * columns, first.bytes + second.bytes + rows * columns * first.element};
}

OperatorWork convolution_work(const OperatorCall& call) {
  if (call.shapes.size() < 2 || call.shapes[0].size() < 3 || call.shapes[1].size() < 3) return {};
  const Input input = input_at(call, 0);
  const Input weight = input_at(call, 1);
  const double positions = input.count / static_cast<double>(std::max<std::int64_t>(call.shapes[0][1], 1));
  const auto outputs = static_cast<double>(call.shapes[1][0]);
  return {2 * positions * weight.count, input.bytes + weight.bytes + positions * outputs * input.element};
}

// Their output is as large as their largest input, or is that input.
constexpr std::array<std::string_view, 31> kElementwise{"aten::native_layer_norm",
                                                        "aten::native_layer_norm_backward",
                                                        "aten::gelu_backward",
                                                        "aten::tanh_backward",
                                                        "aten::silu_backward",
                                                        "aten::threshold_backward",
                                                        "aten::_softmax_backward_data",
                                                        "aten::gelu",
                                                        "aten::gelu_",
                                                        "aten::relu",
                                                        "aten::relu_",
                                                        "aten::clamp_min",
                                                        "aten::clamp_min_",
                                                        "aten::add",
                                                        "aten::add_",
                                                        "aten::mul",
                                                        "aten::mul_",
                                                        "aten::sub",
                                                        "aten::div",
                                                        "aten::div_",
                                                        "aten::_softmax",
                                                        "aten::tanh",
                                                        "aten::tanh_",
                                                        "aten::silu",
                                                        "aten::silu_",
                                                        "aten::sigmoid",
                                                        "aten::hardswish",
                                                        "aten::_fused_rms_norm",
                                                        "transformeter::rms_norm_rows",
                                                        "transformeter::rotate_rows",
                                                        "transformeter::dequantize_rows"};

OperatorWork elementwise_work(const OperatorCall& call) {
  double largest = 0;
  for (std::size_t i = 0; i < call.shapes.size(); ++i) largest = std::max(largest, input_at(call, i).bytes);
  return {0, input_bytes(call) + largest};
}

// To one byte a value.
constexpr std::array<std::string_view, 3> kQuantizing{"transformeter::quantize_rows", "transformeter::quantize_bytes",
                                                      "transformeter::requantize_rows"};

OperatorWork quantizing_work(const OperatorCall& call) {
  return {0, input_bytes(call) + input_at(call, 0).count};
}

// Rows of a table by their numbers, of which the table's other rows are not read.
OperatorWork lookup_work(const OperatorCall& call) {
  if (call.shapes.size() < 3 || call.shapes[0].size() != 2) return {};
  const Input table = input_at(call, 0);
  const double rows = count_of(call.shapes[2]);  // index_select(table, dimension, rows)
  return {0, 2 * rows * static_cast<double>(call.shapes[0][1]) * table.element};
}

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct ReadableName {
  std::string_view name, shown;
};
constexpr std::array kReadableNames{
    ReadableName{"mkldnn::_linear_pointwise", "linear (oneDNN)"},
    ReadableName{"mkl::_mkl_linear", "linear (MKL, packed)"},
    ReadableName{"onednn::qlinear_pointwise", "linear int8 (oneDNN)"},
    ReadableName{"transformeter::tiled_attention", "fused attention (tiled)"},
    ReadableName{"transformeter::dropped_attention", "fused attention (dropout)"},
    ReadableName{"transformeter::dropped_attention_backward", "fused attention backward (dropout)"},
    ReadableName{"transformeter::widened_attention", "fused attention (widened)"},
    ReadableName{operator_of(WideProduct::kLibTorch), "linear (widened)"},
    ReadableName{operator_of(WideProduct::kOneDnn), "linear (widened, oneDNN)"},
    ReadableName{"transformeter::widened_int8_linear", "linear int8 (widened weights)"},
    ReadableName{"transformeter::rms_norm_rows", "RMS norm (fused)"},
    ReadableName{"transformeter::rotate_rows", "rotary positions (fused)"},
    ReadableName{"transformeter::quantize_rows", "quantize rows"},
    ReadableName{"transformeter::quantize_bytes", "quantize bytes"},
    ReadableName{"transformeter::requantize_rows", "dequantize, activate and quantize (fused)"},
    ReadableName{"transformeter::dequantize_rows", "dequantize, bias and residual (fused)"}};

// Of a node of the autograd graph; other names as they are. A node of ours is called after its C++ type.
std::string node_name(const std::string& name) {
  constexpr std::string_view kNamespace = "torch::autograd::";
  if (!name.starts_with(kNamespace)) return name;
  std::string own = name.substr(kNamespace.size());
  if (!own.starts_with("CppNode<") || !own.ends_with('>')) return own;
  const std::string type = own.substr(own.find('<') + 1, own.size() - own.find('<') - 2);
  const std::size_t scope = type.rfind("::");
  return fmt::format("{} (backward)", scope == std::string::npos ? type : type.substr(scope + 2));
}

}  // namespace

OperatorWork work_of(const OperatorCall& call) {
  const auto* product =
      std::find_if(kProducts.begin(), kProducts.end(), [&](const Product& known) { return known.name == call.name; });
  if (product != kProducts.end()) return product_work(call, *product);
  const auto* attention = std::find_if(kAttention.begin(), kAttention.end(),
                                       [&](const Attention& known) { return known.name == call.name; });
  if (attention != kAttention.end()) return attention_work(call, *attention);
  if (is_among(kElementwise, call.name)) return elementwise_work(call);
  if (is_among(kQuantizing, call.name)) return quantizing_work(call);
  if (call.name == "aten::bmm") return batched_work(call, 0);
  if (call.name == "aten::baddbmm") return batched_work(call, 1);
  if (call.name == "aten::mkldnn_convolution") return convolution_work(call);
  if (call.name == "aten::copy_" || call.name == "aten::fill_") return {0, input_bytes(call)};
  if (call.name == "aten::index_select") return lookup_work(call);
  return {};
}

std::string readable_name(const std::string& name) {
  const auto* found = std::find_if(kReadableNames.begin(), kReadableNames.end(),
                                   [&](const ReadableName& known) { return known.name == name; });
  return found == kReadableNames.end() ? node_name(name) : std::string(found->shown);
}

}  // namespace transformeter
