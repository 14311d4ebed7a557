// Layer norm, activations and the post-norm encoder layer, on ATen.
#include "model/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>

#include "base/error.h"

namespace transformeter {

at::Tensor LayerNorm::operator()(const at::Tensor& input) const {
  return at::layer_norm(input, weight.sizes(), weight, bias, epsilon);
}

LayerNorm make_layer_norm(const Parameters& parameters, const std::string& prefix, double epsilon) {
  return {parameters.at(prefix + ".weight"), parameters.at(prefix + ".bias"), epsilon};
}

ActivationFunction activation_function(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return [](const at::Tensor& x) { return at::gelu(x); };
    case Activation::kGeluTanh:
      return [](const at::Tensor& x) { return at::gelu(x, "tanh"); };
    case Activation::kRelu:
      return [](const at::Tensor& x) { return at::relu(x); };
  }
  throw Error(ErrorKind::kInternal, "an activation has no function");
}

EncoderLayer::EncoderLayer(const Parameters& parameters, const EncoderLayerNames& names,
                           const EncoderLayerOptions& options)
    : query_(parameters.linear(names.query)),
      key_(parameters.linear(names.key)),
      value_(parameters.linear(names.value)),
      attention_output_(parameters.linear(names.attention_output)),
      feed_forward_in_(parameters.linear(names.feed_forward_in)),
      feed_forward_out_(parameters.linear(names.feed_forward_out)),
      attention_norm_(make_layer_norm(parameters, names.attention_norm, options.epsilon)),
      output_norm_(make_layer_norm(parameters, names.output_norm, options.epsilon)),
      options_(options) {}

at::Tensor EncoderLayer::attend(const at::Tensor& hidden, const at::Tensor& mask, const Operators& operators) const {
  const std::int64_t batch = hidden.size(0);
  const std::int64_t tokens = hidden.size(1);
  const auto heads = [&](const Linear& layer) {  // [B, T, C] to [B, H, T, C/H]
    return operators.linear(hidden, layer).view({batch, tokens, options_.heads, -1}).transpose(1, 2);
  };
  const at::Tensor context = operators.attention(heads(query_), heads(key_), heads(value_), mask);
  return operators.linear(context.transpose(1, 2).reshape({batch, tokens, -1}), attention_output_);
}

at::Tensor EncoderLayer::forward(const at::Tensor& hidden, const at::Tensor& mask, const Operators& operators) const {
  const at::Tensor attended = attention_norm_(attend(hidden, mask, operators) + hidden);
  const at::Tensor inner = options_.activation(operators.linear(attended, feed_forward_in_));
  return output_norm_(operators.linear(inner, feed_forward_out_) + attended);
}

}  // namespace transformeter
