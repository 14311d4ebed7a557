// Attention two ways, on plain linear layers.
#include "engine/operators.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"

namespace transformeter {
namespace {

class PlainLinear : public Operators {
 public:
  at::Tensor linear(const at::Tensor& input, const Linear& layer) const override {
    return at::linear(input, layer.weight, layer.bias);
  }
};

class SdpaOperators final : public PlainLinear {
 public:
  at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                       const at::Tensor& mask) const override {
    const std::optional<at::Tensor> bias = mask.defined() ? std::optional<at::Tensor>(mask) : std::nullopt;
    return at::scaled_dot_product_attention(query, key, value, bias);
  }
};

class EagerOperators final : public PlainLinear {
 public:
  at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                       const at::Tensor& mask) const override {
    at::Tensor scores = at::matmul(query, key.transpose(-2, -1));
    scores.mul_(1.0 / std::sqrt(static_cast<double>(query.size(-1))));
    if (mask.defined()) scores.add_(mask);
    return at::matmul(at::softmax(scores, -1), value);
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
