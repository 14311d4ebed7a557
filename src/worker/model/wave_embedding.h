// From the samples of sounds to the first hidden states.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/blocks.h"
#include "model/linear.h"
#include "model/operators.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

class WaveEmbedding {
 public:
  /// Of a spec with waves.
  WaveEmbedding(const EmbeddingSpec& spec, const Parameters& parameters);

  /// input_values [B, samples] of any floating-point type to [B, T, C] of the weights' type. Frames where `token_mask`
  /// [B, T] is false are zeros to the positional convolution; undefined: all frames count.
  /// `is_training`: values are dropped.
  at::Tensor forward(const at::Tensor& input_values, const at::Tensor& token_mask, bool is_training,
                     const Operators& operators) const;

 private:
  struct Layer {
    at::Tensor weight, bias;  // [out, in, kernel], [out] or undefined
    std::int64_t stride = 1;
    std::optional<Norm> norm;
    bool norms_over_time = false;
    std::string module;  // its name in the checkpoint
  };
  static at::Tensor normed(const at::Tensor& channels, const Layer& layer, const Operators& operators);
  /// [B, samples] to [B, T, features].
  at::Tensor features(const at::Tensor& samples, const Operators& operators) const;
  /// The positional convolution of frames [B, T, C], which is added to them.
  at::Tensor positions(const at::Tensor& frames) const;
  /// Normalized: while its parts learn, again in each pass.
  at::Tensor position_weight() const;

  std::vector<Layer> layers_;
  ActivationFunction activation_;
  std::optional<Norm> feature_norm_;
  std::shared_ptr<const LinearKernel> projection_;
  double dropout_ = 0;
  at::Tensor position_weight_, position_bias_;  // [C, C / groups, kernel], [C]; the first undefined while it learns
  at::Tensor position_v_, position_gain_;       // what it is made of; undefined where it does not learn
  std::int64_t position_groups_;
  std::optional<Norm> norm_;
  std::string module_, position_module_;
};

}  // namespace transformeter
