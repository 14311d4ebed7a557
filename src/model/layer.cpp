// Attention and feed-forward on linear layers.
#include "model/layer.h"

#include <ATen/TensorOperators.h>

#include <optional>
#include <utility>
#include <vector>

#include "model/blocks.h"

namespace transformeter {
namespace {

class SelfAttention {
 public:
  SelfAttention(const AttentionSpec& spec, const Parameters& parameters)
      : inputs_(parameters.linears(spec.inputs)),
        output_(parameters.linear(spec.output)),
        heads_(spec.heads),
        key_value_heads_(spec.key_value_heads),
        head_dim_(spec.head_dim),
        window_(spec.window) {
    if (spec.query_norm) query_norm_ = make_norm(parameters, *spec.query_norm);
    if (spec.key_norm) key_norm_ = make_norm(parameters, *spec.key_norm);
  }

  bool has_window() const { return window_ > 0; }

  /// What the layer adds to `residual`, and the sum; both of the needed tokens.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& residual, const Pass& pass) const {
    AttentionInputs inputs = project(hidden);
    if (pass.rotation.cosine.defined()) {
      inputs.query = rotate(inputs.query, pass.rotation);
      inputs.key = rotate(inputs.key, pass.rotation);
    }
    if (pass.cache != nullptr) {
      auto [key, value] = pass.cache->append(pass.layer, inputs.key, inputs.value);
      inputs.key = std::move(key);
      inputs.value = std::move(value);
    }
    const at::Tensor context = pass.needed != nullptr
                                   ? pass.attention.attend_needed(std::move(inputs), *pass.needed, pass.operators)
                                   : pass.attention.attend(std::move(inputs), window_, pass.operators);
    return output_->added(context, residual);
  }

 private:
  // [B, T, heads · d] to [B, heads, T, d].
  at::Tensor split(const at::Tensor& projected, std::int64_t heads, const std::optional<Norm>& norm) const {
    const at::Tensor parts = projected.view({projected.size(0), projected.size(1), heads, head_dim_});
    return (norm ? (*norm)(parts) : parts).transpose(1, 2);
  }

  AttentionInputs project(const at::Tensor& hidden) const {
    std::vector<at::Tensor> projected;
    for (const auto& input : inputs_) projected.push_back(input->forward(hidden));
    if (projected.size() == 1) {
      const std::int64_t key_width = key_value_heads_ * head_dim_;
      projected = projected.front().split_with_sizes({heads_ * head_dim_, key_width, key_width}, -1);
    }
    AttentionInputs inputs;
    inputs.query = split(projected[0], heads_, query_norm_);
    inputs.key = split(projected[1], key_value_heads_, key_norm_);
    inputs.value = split(projected[2], key_value_heads_, std::nullopt);
    return inputs;
  }

  std::vector<std::shared_ptr<const LinearKernel>> inputs_;  // query, key, value, or one of all three
  std::shared_ptr<const LinearKernel> output_;
  std::optional<Norm> query_norm_, key_norm_;
  std::int64_t heads_, key_value_heads_, head_dim_, window_;
};

class FeedForward {
 public:
  FeedForward(const FeedForwardSpec& spec, const Parameters& parameters)
      : in_(parameters.linear(spec.in)), out_(parameters.linear(spec.out)), activation_(spec.activation) {
    if (spec.gate) gate_ = parameters.linear(*spec.gate);
  }

  /// What the network adds to `residual`, and the sum.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& residual) const {
    if (gate_ == nullptr) return out_->added(in_->activated(hidden, activation_), residual);
    return out_->added(gate_->activated(hidden, activation_) * in_->forward(hidden), residual);
  }

 private:
  std::shared_ptr<const LinearKernel> gate_, in_, out_;
  Activation activation_;
};

class LinearLayer final : public Layer {
 public:
  LinearLayer(const LayerSpec& spec, const Parameters& parameters)
      : attention_(spec.attention, parameters),
        feed_forward_(spec.feed_forward, parameters),
        attention_norm_(make_norm(parameters, spec.attention_norm)),
        feed_forward_norm_(make_norm(parameters, spec.feed_forward_norm)),
        norm_first_(spec.norm_first) {}

  at::Tensor forward(const at::Tensor& hidden, const Pass& pass) const override {
    const at::Tensor residual = pass.needed != nullptr ? pass.attention.needed_of(hidden, *pass.needed) : hidden;
    if (norm_first_) {
      const at::Tensor attended = attention_.forward(attention_norm_(hidden), residual, pass);
      return feed_forward_.forward(feed_forward_norm_(attended), attended);
    }
    const at::Tensor attended = attention_norm_(attention_.forward(hidden, residual, pass));
    return feed_forward_norm_(feed_forward_.forward(attended, attended));
  }
  bool leaves_out_tokens() const override { return !attention_.has_window(); }

 private:
  SelfAttention attention_;
  FeedForward feed_forward_;
  Norm attention_norm_, feed_forward_norm_;
  bool norm_first_;
};

}  // namespace

std::unique_ptr<Layer> make_layer(const LayerSpec& spec, const Parameters& parameters) {
  return std::make_unique<LinearLayer>(spec, parameters);
}

}  // namespace transformeter
