// Blocks that encoder architectures share. Shapes: B batch, T tokens, C width, H heads, I intermediate width.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/operators.h"
#include "model/parameters.h"
#include "spec/model_config.h"

namespace transformeter {

struct LayerNorm {
  at::Tensor weight;  // [C]
  at::Tensor bias;    // [C]
  double epsilon = 1e-12;

  /// Over the last dimension.
  at::Tensor operator()(const at::Tensor& input) const;
};

LayerNorm make_layer_norm(const Parameters& parameters, const std::string& prefix, double epsilon);

using ActivationFunction = at::Tensor (*)(const at::Tensor&);
ActivationFunction activation_function(Activation activation);

/// Where a post-norm encoder layer's weights lie in a checkpoint, each a prefix before ".weight" and ".bias".
struct EncoderLayerNames {
  std::string query, key, value, attention_output, attention_norm;
  std::string feed_forward_in, feed_forward_out, output_norm;
};

struct EncoderLayerOptions {
  std::int64_t heads = 0;
  double epsilon = 1e-12;
  ActivationFunction activation = nullptr;
};

/// x = norm(x + attention(x)); x = norm(x + feed_forward(x)): Vaswani et al. 2017, as in BERT (Devlin et al. 2018).
class EncoderLayer {
 public:
  EncoderLayer(const Parameters& parameters, const EncoderLayerNames& names, const EncoderLayerOptions& options);

  /// hidden [B, T, C] to [B, T, C]; mask additive [B, 1, 1, T] or undefined.
  at::Tensor forward(const at::Tensor& hidden, const at::Tensor& mask, const Operators& operators) const;

 private:
  at::Tensor attend(const at::Tensor& hidden, const at::Tensor& mask, const Operators& operators) const;

  Linear query_, key_, value_, attention_output_, feed_forward_in_, feed_forward_out_;
  LayerNorm attention_norm_, output_norm_;
  EncoderLayerOptions options_;
};

}  // namespace transformeter
