// Attention two ways, on plain linear layers.
#include "engine/operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

class PlainMatrices : public Operators {
 public:
  at::Tensor linear(const at::Tensor& input, const Linear& layer) const override {
    return at::linear(input, layer.weight, layer.bias);
  }
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return at::conv1d(input, layer.weight, layer.bias, at::IntArrayRef(1), at::IntArrayRef(0), at::IntArrayRef(1),
                      layer.groups);
  }
};

class SdpaOperators final : public PlainMatrices {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const std::optional<at::Tensor> mask = inputs.mask.defined() ? std::optional(inputs.mask) : std::nullopt;
    const bool is_grouped = inputs.query.size(1) != inputs.key.size(1);
    return at::scaled_dot_product_attention(inputs.query, inputs.key, inputs.value, mask, 0, inputs.is_causal,
                                            std::nullopt, is_grouped);
  }
};

// [B, G, S, d] to [B, H, S, d], each head repeated for the query heads it serves.
at::Tensor repeat_heads(const at::Tensor& grouped, std::int64_t heads) {
  const std::int64_t groups = grouped.size(1);
  if (groups == heads) return grouped;
  return grouped.unsqueeze(2)
      .expand({grouped.size(0), groups, heads / groups, grouped.size(2), grouped.size(3)})
      .reshape({grouped.size(0), heads, grouped.size(2), grouped.size(3)});
}

class EagerOperators final : public PlainMatrices {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const std::int64_t heads = inputs.query.size(1);
    at::Tensor scores = at::matmul(inputs.query, repeat_heads(inputs.key, heads).transpose(-2, -1));
    scores.mul_(1.0 / std::sqrt(static_cast<double>(inputs.query.size(-1))));
    if (inputs.mask.defined()) scores.add_(inputs.mask);
    if (inputs.is_causal) scores.masked_fill_(after(scores), lowest_of(scores.scalar_type()));
    return at::matmul(at::softmax(scores, -1), repeat_heads(inputs.value, heads));
  }

 private:
  // True where a key comes after the query, [T, T].
  static at::Tensor after(const at::Tensor& scores) {
    const at::Tensor all = at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool));
    return all.triu(1);
  }
};

}  // namespace

std::unique_ptr<Operators> make_operators(const std::string& attention) {
  if (attention == "sdpa") return std::make_unique<SdpaOperators>();
  if (attention == "eager") return std::make_unique<EagerOperators>();
  throw Error(ErrorKind::kUnsupported, fmt::format("attention '{}' has no kernel here; this worker has {}", attention,
                                                   fmt::join(attention_names(), ", ")));
}

std::vector<std::string> attention_names() {
  return {"sdpa", "eager"};
}

}  // namespace transformeter
