// A table of operators, with where each has its input and its weight.
#include "engine/observed_product.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/widened_linear.h"

namespace transformeter {
namespace {

// The innermost operator counts: `linear` is listed for what a device computes in one.
struct Operator {
  std::string_view name;
  std::size_t input, weight;
};
constexpr std::array kOperators{Operator{"aten::linear", 0, 1},
                                Operator{"aten::mm", 0, 1},
                                Operator{"aten::addmm", 1, 2},
                                Operator{"aten::_addmm_activation", 1, 2},
                                Operator{"aten::mv", 1, 0},
                                Operator{"aten::addmv", 2, 1},
                                Operator{"aten::_int_mm", 0, 1},
                                Operator{"aten::_scaled_mm", 0, 1},
                                Operator{"aten::_weight_int8pack_mm", 0, 1},
                                Operator{"aten::mkldnn_linear", 0, 1},
                                Operator{"mkl::_mkl_linear", 0, 2},  // 1 is packed, in the same format
                                Operator{"mkldnn::_linear_pointwise", 0, 1},
                                Operator{"onednn::qlinear_pointwise", 0, 3},
                                Operator{"quantized::linear", 0, 1},
                                Operator{"quantized::linear_relu", 0, 1},
                                Operator{"quantized::linear_dynamic", 0, 1},
                                Operator{"quantized::linear_relu_dynamic", 0, 1},
                                Operator{"quantized::linear_dynamic_fp16", 0, 1},
                                Operator{"aten::convolution", 0, 1},
                                Operator{operator_of(WideProduct::kLibTorch), 0, 1},
                                Operator{operator_of(WideProduct::kOneDnn), 0, 1},
                                Operator{"transformeter::widened_int8_linear", 0, 1}};

std::string format_name(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return "fp32";
    case c10::ScalarType::Double:
      return "fp64";
    case c10::ScalarType::BFloat16:
      return "bf16";
    case c10::ScalarType::Half:
      return "fp16";
    case c10::ScalarType::Char:
    case c10::ScalarType::QInt8:
      return "int8";
    case c10::ScalarType::Byte:
    case c10::ScalarType::QUInt8:
      return "uint8";
    default:
      return c10::toString(type);
  }
}

bool is_filled(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().dim() > 0 && value.toTensor().numel() > 0;
}

// With a residual, `mkldnn::_linear_pointwise` has it before the weight.
std::size_t weight_place(const Operator& known, c10::ArrayRef<const c10::IValue> arguments) {
  const bool has_residual = known.name == "mkldnn::_linear_pointwise" && arguments.size() == 5;
  return has_residual ? known.weight + 1 : known.weight;
}

ObservedProduct product_with(const at::Tensor& input, const at::Tensor& weight, bool is_convolution) {
  ObservedProduct product{format_name(input.scalar_type()), format_name(weight.scalar_type())};
  if (is_convolution) {
    product.outputs = weight.size(0);
    product.inputs = weight.numel() / product.outputs;
    return product;
  }
  product.is_packed = weight.is_mkldnn();
  product.inputs = input.size(-1);
  product.outputs = weight.numel() / product.inputs;
  product.flops = 2.0 * static_cast<double>(input.numel()) * static_cast<double>(product.outputs);
  return product;
}

}  // namespace

std::optional<ObservedProduct> product_of(const std::string& name, c10::ArrayRef<const c10::IValue> arguments) {
  const auto* known =
      std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator& one) { return one.name == name; });
  if (known == kOperators.end()) return std::nullopt;
  const std::size_t place = weight_place(*known, arguments);
  if (std::max(known->input, place) >= arguments.size() || !is_filled(arguments[known->input])) return std::nullopt;
  const at::Tensor input = arguments[known->input].toTensor();
  if (arguments[place].isObject()) {
    return ObservedProduct{format_name(input.scalar_type()), "packed", input.size(-1)};
  }
  if (!is_filled(arguments[place])) return std::nullopt;
  return product_with(input, arguments[place].toTensor(), known->name == "aten::convolution");
}

bool hides_products(const std::string& name) {
  return name == operator_of(WideProduct::kLibTorch) || name == operator_of(WideProduct::kOneDnn) ||
         name == "transformeter::widened_int8_linear";
}

double flops_of_output(const ObservedProduct& product, const at::Tensor& output) {
  return 2.0 * static_cast<double>(output.numel()) * static_cast<double>(product.inputs);
}

}  // namespace transformeter
