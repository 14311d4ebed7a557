// Causal order, windows, padding and a bias in one additive mask; none at all where the kernel's own causal flag says
// the same.
#include "model/attention_masks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <utility>

namespace transformeter {

double lowest_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Double:
      return std::numeric_limits<double>::lowest();
    case c10::ScalarType::Half:
      return -65504;
    case c10::ScalarType::BFloat16:
      return -3.3895313892515355e38;
    default:
      return static_cast<double>(std::numeric_limits<float>::lowest());
  }
}

at::Tensor additive_mask(const at::Tensor& token_mask, c10::ScalarType type) {
  at::Tensor mask = at::zeros(token_mask.sizes(), token_mask.options().dtype(type));
  mask.masked_fill_(token_mask.logical_not(), lowest_of(type));
  return mask.unsqueeze(1).unsqueeze(1);
}

AttentionMasks::AttentionMasks(const Shape& shape, at::Tensor padding, const at::TensorOptions& options)
    : shape_(shape), padding_(std::move(padding)), options_(options) {}

AttentionMask AttentionMasks::with_window(std::int64_t window) {
  const std::int64_t seen = shape_.before + shape_.tokens;
  const std::int64_t effective = window < seen ? window : 0;
  if (!shape_.is_shared) return make(effective);
  const auto found = masks_.find(effective);
  if (found != masks_.end()) return found->second;
  return masks_.emplace(effective, make(effective)).first->second;
}

AttentionMask AttentionMasks::make(std::int64_t window) const {
  AttentionMask mask = order(window);
  if (shape_.bias == nullptr) return mask;
  const at::Tensor bias = shape_.bias->of(shape_.tokens, shape_.before);
  return {mask.additive.defined() ? bias + mask.additive : bias, false};
}

// What is hidden.
AttentionMask AttentionMasks::order(std::int64_t window) const {
  if (!shape_.is_causal) return {padding_, false};
  const bool sees_all = shape_.tokens == 1 && window == 0;  // the newest token
  if (sees_all) return {padding_, false};
  const bool is_order_alone = !padding_.defined() && window == 0 && shape_.before == 0 && shape_.bias == nullptr;
  if (is_order_alone) return {at::Tensor(), true};
  const at::TensorOptions index = options_.dtype(c10::ScalarType::Long);
  const at::Tensor query = at::arange(shape_.before, shape_.before + shape_.tokens, index).unsqueeze(1);
  const at::Tensor key = at::arange(0, shape_.before + shape_.tokens, index).unsqueeze(0);
  at::Tensor hidden = key > query;
  if (window > 0) hidden = hidden.logical_or(key <= query - window);
  const c10::ScalarType type = c10::typeMetaToScalarType(options_.dtype());
  at::Tensor mask = at::zeros(hidden.sizes(), options_).masked_fill(hidden, lowest_of(type));
  mask = mask.unsqueeze(0).unsqueeze(0);  // [1, 1, T, S]
  return {padding_.defined() ? at::minimum(mask, padding_) : mask, false};
}

}  // namespace transformeter
