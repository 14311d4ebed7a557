// SqueezeBERT's layer: hidden states stay [B, C, T] from one convolution to the next.
#include <ATen/TensorOperators.h>

#include "model/blocks.h"
#include "model/layer.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

class ConvolutionLayer final : public Layer {
 public:
  ConvolutionLayer(const LayerSpec& spec, const Parameters& parameters)
      : query_(parameters.convolution(spec.attention.inputs.at(0))),
        key_(parameters.convolution(spec.attention.inputs.at(1))),
        value_(parameters.convolution(spec.attention.inputs.at(2))),
        attention_output_(parameters.convolution(spec.attention.output)),
        in_(parameters.convolution(spec.feed_forward.in)),
        out_(parameters.convolution(spec.feed_forward.out)),
        attention_norm_(make_norm(parameters, spec.attention_norm)),
        feed_forward_norm_(make_norm(parameters, spec.feed_forward_norm)),
        activation_(activation_function(spec.feed_forward.activation)),
        heads_(spec.attention.heads),
        head_dim_(spec.attention.head_dim),
        dropout_(spec.attention.dropout),
        module_(layer_module(spec)) {}

  at::Tensor forward(const at::Tensor& hidden, const Pass& pass) const override {
    const ModuleScope scope(module_);
    const at::Tensor attended = norm(attention_part(hidden, pass), attention_norm_, pass.operators);
    return norm(feed_forward_part(attended, pass), feed_forward_norm_, pass.operators);
  }

 private:
  static at::Tensor convolved(const at::Tensor& input, const Convolution& layer, const Pass& pass) {
    const ModuleScope scope(layer.module);
    return pass.operators.convolution(input, layer);
  }

  // residual + dropout(convolution).
  static at::Tensor added(const at::Tensor& input, const Convolution& output, const at::Tensor& residual,
                          const Pass& pass) {
    const at::Tensor projected = convolved(input, output, pass);
    return (pass.hidden_dropout > 0 ? pass.operators.dropout(projected, pass.hidden_dropout) : projected) + residual;
  }

  // Over C of [B, C, T].
  static at::Tensor norm(const at::Tensor& hidden, const Norm& norm, const Operators& operators) {
    return norm(hidden.transpose(1, 2), operators).transpose(1, 2);
  }

  at::Tensor attention_part(const at::Tensor& hidden, const Pass& pass) const {
    const PhaseScope phase(ProfilePhase::kAttention);
    return added(attend(hidden, pass), attention_output_, hidden, pass);
  }

  at::Tensor feed_forward_part(const at::Tensor& attended, const Pass& pass) const {
    const PhaseScope phase(ProfilePhase::kFeedForward);
    return added(activation_(convolved(attended, in_, pass)), out_, attended, pass);
  }

  at::Tensor attend(const at::Tensor& hidden, const Pass& pass) const {
    const auto heads = [&](const Convolution& layer) {  // [B, C, T] to [B, H, T, d]
      const at::Tensor projected = convolved(hidden, layer, pass);
      return projected.view({hidden.size(0), heads_, head_dim_, hidden.size(2)}).transpose(2, 3);
    };
    const at::Tensor context = pass.attention.attend(
        {heads(query_), heads(key_), heads(value_), {}, false, pass.is_training ? dropout_ : 0}, 0, pass.operators);
    return context.transpose(1, 2);
  }

  Convolution query_, key_, value_, attention_output_, in_, out_;
  Norm attention_norm_, feed_forward_norm_;
  ActivationFunction activation_;
  std::int64_t heads_, head_dim_;
  double dropout_;
  std::string module_;
};

}  // namespace

std::unique_ptr<Layer> make_convolution_layer(const LayerSpec& spec, const Parameters& parameters) {
  return std::make_unique<ConvolutionLayer>(spec, parameters);
}

}  // namespace transformeter
