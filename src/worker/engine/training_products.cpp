// oneDNN reads its second operand in any strides; of the first, LibTorch makes a copy where it is transposed.
#include "engine/training_products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include <array>
#include <optional>

#include "engine/one_dnn_linear.h"

namespace transformeter {

at::Tensor TrainingProducts::outputs(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const {
  if (is_one_dnn(TrainingPart::kOutputs) && input.numel() > 0)
    return one_dnn_linear(input, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  return bias.defined() ? at::addmm(bias, input, weight.t()) : at::mm(input, weight.t());
}

at::Tensor TrainingProducts::input_gradient(const at::Tensor& slopes, const at::Tensor& weight) const {
  if (is_one_dnn(TrainingPart::kInputGradient) && slopes.numel() > 0)
    return one_dnn_linear(slopes, weight.t(), std::nullopt);
  return at::mm(slopes, weight);
}

at::Tensor TrainingProducts::weight_gradient(const at::Tensor& slopes, const at::Tensor& input) const {
  if (is_one_dnn(TrainingPart::kWeightGradient) && slopes.numel() > 0)
    return one_dnn_linear(slopes.t(), input.t(), std::nullopt);
  return at::mm(slopes.t(), input);
}

at::Tensor as_rows(const at::Tensor& values) {
  return values.reshape({-1, values.size(-1)});
}

std::string_view name_of(TrainingPart part) {
  constexpr std::array<std::string_view, 3> kNames{"outputs", "input gradient", "weight gradient"};
  return kNames[static_cast<std::size_t>(part)];
}

}  // namespace transformeter
