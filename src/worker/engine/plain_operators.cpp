// Thin calls, and views; copies only where a kernel needs them.
#include "engine/plain_operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <fmt/format.h>

#include "base/error.h"
#include "model/attention_masks.h"

namespace transformeter {

at::Tensor PlainOperators::convolution(const at::Tensor& input, const Convolution& layer) const {
  return at::conv1d(input, layer.weight, layer.bias, at::IntArrayRef(1), at::IntArrayRef(0), at::IntArrayRef(1),
                    layer.groups);
}

at::Tensor PlainOperators::dropout(const at::Tensor& input, double share) const {
  return at::dropout(input, share, true);
}

at::Tensor PlainOperators::rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon,
                                    double offset) const {
  if (offset == 0) return at::rms_norm(input, weight.sizes(), weight, epsilon);
  // The sum of a narrow weight and the offset would lose the weight's digits.
  const c10::ScalarType wide = c10::promoteTypes(weight.scalar_type(), at::kFloat);
  return at::rms_norm(input.to(wide), weight.sizes(), weight.to(wide) + offset, epsilon).to(input.scalar_type());
}

at::Tensor PlainOperators::rotated(const at::Tensor& input, const Rotation& rotation) const {
  return rotate(input, rotation);
}

std::optional<at::Tensor> optional_mask(const AttentionInputs& inputs) {
  return inputs.mask.defined() ? std::optional(inputs.mask) : std::nullopt;
}

void refuse_learning_mask(const AttentionInputs& inputs, std::string_view attention) {
  if (!inputs.mask_learns) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("attention {} does not train relative positions; use attention sdpa, math or eager", attention));
}

at::Tensor mask_of_scores(const AttentionInputs& inputs) {
  if (!inputs.mask.defined()) return {};
  return inputs.mask.to(c10::ScalarType::Float)
      .contiguous()
      .expand({inputs.query.size(0), inputs.query.size(1), inputs.query.size(2), inputs.key.size(2)});
}

const float* mask_row(const at::Tensor& mask, std::int64_t batch, std::int64_t head, std::int64_t query) {
  if (!mask.defined()) return nullptr;
  return mask.const_data_ptr<float>() + batch * mask.stride(0) + head * mask.stride(1) + query * mask.stride(2);
}

at::Tensor library_attention(const AttentionInputs& inputs) {
  return at::scaled_dot_product_attention(inputs.query, inputs.key, inputs.value, optional_mask(inputs), inputs.dropout,
                                          inputs.is_causal, std::nullopt, inputs.query.size(1) != inputs.key.size(1));
}

at::Tensor repeat_heads(const at::Tensor& grouped, std::int64_t heads) {
  const std::int64_t groups = grouped.size(1);
  if (groups == heads) return grouped;
  return grouped.unsqueeze(2)
      .expand({grouped.size(0), groups, heads / groups, grouped.size(2), grouped.size(3)})
      .reshape({grouped.size(0), heads, grouped.size(2), grouped.size(3)});
}

at::Tensor with_whole_vectors(const at::Tensor& tensor) {
  return tensor.stride(-1) == 1 ? tensor : tensor.contiguous();
}

AttentionInputs in_type(const AttentionInputs& inputs, c10::ScalarType type) {
  AttentionInputs all = inputs;
  for (at::Tensor* tensor : {&all.query, &all.key, &all.value}) *tensor = tensor->to(type);
  // fp32's lowest value becomes -inf in 16 bits, and the softmax of a row of -inf is NaN.
  if (all.mask.defined() && all.mask.scalar_type() != type) all.mask = all.mask.clamp_min(lowest_of(type)).to(type);
  return all;
}

}  // namespace transformeter
