// Shared by the attention kernels: LibTorch's implementation of all other operators, and input layouts.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/autocast.h"
#include "model/operators.h"

namespace transformeter {

/// Everything but attention by LibTorch's own operators.
class PlainOperators : public Operators {
 public:
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override;
  at::Tensor dropout(const at::Tensor& input, double share) const override;
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) const override;
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override;
};

/// Nothing where the mask is undefined.
std::optional<at::Tensor> optional_mask(const AttentionInputs& inputs);

/// Throws Error(kUnsupported) for a mask that learns: the kernel called `attention` gives it no gradient.
void refuse_learning_mask(const AttentionInputs& inputs, std::string_view attention);

/// The mask of every score, [B, H, T, S] in fp32, mostly with strides 0; undefined where there is none.
at::Tensor mask_of_scores(const AttentionInputs& inputs);
/// The row of it that belongs to a query; null where the mask is undefined.
const float* mask_row(const at::Tensor& mask, std::int64_t batch, std::int64_t head, std::int64_t query);

/// LibTorch's scaled_dot_product_attention, which chooses among its kernels.
at::Tensor library_attention(const AttentionInputs& inputs);

/// [B, G, S, d] to [B, H, S, d], each head repeated for the query heads it serves.
at::Tensor repeat_heads(const at::Tensor& grouped, std::int64_t heads);

/// With vectors of d that are dense; a copy where they are not.
at::Tensor with_whole_vectors(const at::Tensor& tensor);

/// Query, key, value and mask in that type; what lies below its lowest number becomes that.
AttentionInputs in_type(const AttentionInputs& inputs, c10::ScalarType type);

/// Under automatic casting calls a kernel much as LibTorch's scaled_dot_product_attention does: with all inputs in the
/// type of products, and nothing cast within; but a mask keeps finite values, where LibTorch's becomes -inf. `kernel`
/// takes AttentionInputs and returns the context [B, H, T, d].
template <typename Kernel>
at::Tensor as_one_operator(const AttentionInputs& inputs, const Kernel& kernel) {
  const c10::DeviceType device = inputs.query.device().type();
  const std::optional<c10::ScalarType> type = autocast_type(device);
  if (!type) return kernel(inputs);
  const AttentionInputs all = in_type(inputs, *type);
  const Autocast off(device, std::nullopt);
  return kernel(all);
}

}  // namespace transformeter
