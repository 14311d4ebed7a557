// Attention by name: LibTorch's choice, each of its kernels, and the three operations one after another.
#include "engine/operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

class PlainConvolution : public Operators {
 public:
  at::Tensor convolution(const at::Tensor& input, const Convolution& layer) const override {
    return at::conv1d(input, layer.weight, layer.bias, at::IntArrayRef(1), at::IntArrayRef(0), at::IntArrayRef(1),
                      layer.groups);
  }
};

std::optional<at::Tensor> optional_mask(const AttentionInputs& inputs) {
  return inputs.mask.defined() ? std::optional(inputs.mask) : std::nullopt;
}

bool is_grouped(const AttentionInputs& inputs) {
  return inputs.query.size(1) != inputs.key.size(1);
}

class SdpaOperators final : public PlainConvolution {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    return at::scaled_dot_product_attention(inputs.query, inputs.key, inputs.value, optional_mask(inputs), 0,
                                            inputs.is_causal, std::nullopt, is_grouped(inputs));
  }
};

class MathOperators final : public PlainConvolution {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    return std::get<0>(at::_scaled_dot_product_attention_math(inputs.query, inputs.key, inputs.value,
                                                              optional_mask(inputs), 0, inputs.is_causal, std::nullopt,
                                                              std::nullopt, is_grouped(inputs)));
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

// The kernel wants whole vectors and as many heads of keys as of queries; what is not so is copied.
class FlashOperators final : public PlainConvolution {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const std::int64_t heads = inputs.query.size(1);
    const auto whole = [](const at::Tensor& tensor) { return tensor.stride(-1) == 1 ? tensor : tensor.contiguous(); };
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
        whole(inputs.query), whole(repeat_heads(inputs.key, heads)), whole(repeat_heads(inputs.value, heads)), 0,
        inputs.is_causal, optional_mask(inputs)));
  }
};

class EagerOperators final : public PlainConvolution {
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
  if (attention == "math") return std::make_unique<MathOperators>();
  if (attention == "flash") return std::make_unique<FlashOperators>();
  throw Error(ErrorKind::kUnsupported, fmt::format("attention '{}' has no kernel here; this worker has {}", attention,
                                                   fmt::join(attention_names(), ", ")));
}

std::vector<std::string> attention_names() {
  return {"sdpa", "eager", "math", "flash"};
}

}  // namespace transformeter
