// oneDNN reads its second operand in any strides; of the first, LibTorch makes a copy where it is transposed.
#include "engine/training_products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include <optional>

#include "engine/one_dnn_linear.h"
#include "engine/widened_linear.h"

namespace transformeter {
namespace {

constexpr int kBitsOfKernel = 2;

}  // namespace

TrainingProducts TrainingProducts::of_bits(std::int64_t bits) {
  TrainingProducts products;
  for (TrainingKernel& kernel : products.kernels_) {
    kernel = static_cast<TrainingKernel>(bits & ((1 << kBitsOfKernel) - 1));
    bits >>= kBitsOfKernel;
  }
  return products;
}

std::int64_t TrainingProducts::bits() const {
  std::int64_t bits = 0;
  for (std::size_t i = kernels_.size(); i-- > 0;) {
    bits = (bits << kBitsOfKernel) | static_cast<std::int64_t>(kernels_[i]);
  }
  return bits;
}

at::Tensor TrainingProducts::outputs(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const {
  const auto operand = [&](const at::Tensor& one) { return as_computed(TrainingPart::kOutputs, one); };
  const at::Tensor added = bias.defined() ? operand(bias) : bias;
  if (is_one_dnn(TrainingPart::kOutputs) && input.numel() > 0) {
    return one_dnn_linear(operand(input), operand(weight), added.defined() ? std::optional(added) : std::nullopt)
        .to(input.scalar_type());
  }
  const at::Tensor columns = operand(weight).t();
  const at::Tensor product =
      added.defined() ? at::addmm(added, operand(input), columns) : at::mm(operand(input), columns);
  return product.to(input.scalar_type());
}

at::Tensor TrainingProducts::input_gradient(const at::Tensor& slopes, const at::Tensor& weight,
                                            c10::ScalarType type) const {
  const at::Tensor rows = as_computed(TrainingPart::kInputGradient, slopes);
  const at::Tensor columns = as_computed(TrainingPart::kInputGradient, weight);
  if (is_one_dnn(TrainingPart::kInputGradient) && slopes.numel() > 0) {
    return one_dnn_linear(rows, columns.t(), std::nullopt).to(type);
  }
  return at::mm(rows, columns).to(type);
}

at::Tensor TrainingProducts::weight_gradient(const at::Tensor& slopes, const at::Tensor& input,
                                             c10::ScalarType type) const {
  const at::Tensor rows = as_computed(TrainingPart::kWeightGradient, slopes).t();
  const at::Tensor columns = as_computed(TrainingPart::kWeightGradient, input);
  if (is_one_dnn(TrainingPart::kWeightGradient) && slopes.numel() > 0) {
    return one_dnn_linear(rows, columns.t(), std::nullopt).to(type);
  }
  return at::mm(rows, columns).to(type);
}

at::Tensor as_rows(const at::Tensor& values) {
  return values.reshape({-1, values.size(-1)});
}

std::string_view name_of(TrainingPart part) {
  constexpr std::array<std::string_view, 3> kNames{"outputs", "input gradient", "weight gradient"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view name_of(TrainingKernel kernel) {
  constexpr std::array<std::string_view, 4> kNames{"linear", "onednn", name_of(WideProduct::kLibTorch),
                                                   name_of(WideProduct::kOneDnn)};
  return kNames[static_cast<std::size_t>(kernel)];
}

}  // namespace transformeter
