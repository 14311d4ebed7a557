// LibTorch's convolutions, as in the original, in the weights' own format also where products are in int8; products
// with matrices go through the engine's kernels.
#include "model/wave_embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/group_norm.h>

#include "model/kept_format.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

at::Tensor optional_at(const Parameters& parameters, const std::string& name) {
  return name.empty() ? at::Tensor() : parameters.at(name);
}

// Weight normalization, gain · v / |v|, with a norm for each tap of the kernel (Salimans and Kingma 2016,
// arXiv:1602.07868).
at::Tensor weight_normalized(const at::Tensor& v, const at::Tensor& gain) {
  return v * (gain / v.norm(2, {0, 1}, true));
}

}  // namespace

WaveEmbedding::WaveEmbedding(const EmbeddingSpec& spec, const Parameters& parameters) {
  const WaveSpec& waves = *spec.waves;
  for (const WaveLayerSpec& layer : waves.layers) {
    const ConvolutionSpec& convolution = layer.convolution;
    layers_.push_back({parameters.at(convolution.weight),
                       optional_at(parameters, convolution.bias),
                       convolution.stride,
                       {},
                       layer.norms_over_time,
                       module_of(convolution.weight)});
    if (layer.norm) layers_.back().norm = make_norm(parameters, *layer.norm);
  }
  activation_ = activation_function(waves.activation);
  if (waves.norm) feature_norm_ = make_norm(parameters, *waves.norm);
  projection_ = parameters.linear(waves.projection);
  dropout_ = waves.dropout;
  const at::Tensor &v = parameters.at(waves.positions.weight), &gain = parameters.at(waves.position_gain);
  if (v.requires_grad()) {
    position_v_ = v;
    position_gain_ = gain;
  } else {
    position_weight_ = weight_normalized(v, gain);
  }
  position_bias_ = optional_at(parameters, waves.positions.bias);
  position_groups_ = waves.positions.groups;
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
  module_ = common_module({module_of(waves.layers.front().convolution.weight), module_of(waves.projection.weight)});
  position_module_ = common_module({module_of(waves.positions.weight), module_of(waves.positions.bias)});
}

at::Tensor WaveEmbedding::normed(const at::Tensor& channels, const Layer& layer, const Operators& operators) {
  if (!layer.norm) return channels;
  if (!layer.norms_over_time) return (*layer.norm)(channels.transpose(1, 2), operators).transpose(1, 2);
  const PhaseScope phase(ProfilePhase::kNorm);
  const ModuleScope scope(layer.norm->module);
  return at::group_norm(channels, channels.size(1), layer.norm->weight, layer.norm->bias, layer.norm->epsilon);
}

at::Tensor WaveEmbedding::features(const at::Tensor& samples, const Operators& operators) const {
  const KeptFormat kept;
  at::Tensor channels = samples.to(layers_.front().weight.scalar_type()).unsqueeze(1);
  for (const Layer& layer : layers_) {
    const ModuleScope scope(layer.module);
    channels = at::conv1d(channels, layer.weight, layer.bias, layer.stride);
    channels = normed(channels, layer, operators);  // apart from the activation: two tensors live at once, not three
    channels = activation_(channels);
  }
  return channels.transpose(1, 2);
}

at::Tensor WaveEmbedding::position_weight() const {
  return position_v_.defined() ? weight_normalized(position_v_, position_gain_) : position_weight_;
}

at::Tensor WaveEmbedding::positions(const at::Tensor& frames) const {
  const ModuleScope scope(position_module_);
  const KeptFormat kept;
  const at::Tensor weight = position_weight();
  const std::int64_t kernel = weight.size(2);
  const at::Tensor sums =
      at::conv1d(frames.transpose(1, 2), weight, position_bias_, 1, kernel / 2, 1, position_groups_);
  // An even kernel gives one frame more.
  return activation_(sums.narrow(2, 0, frames.size(1))).transpose(1, 2);
}

at::Tensor WaveEmbedding::forward(const at::Tensor& input_values, const at::Tensor& token_mask, bool is_training,
                                  const Operators& operators) const {
  const PhaseScope phase(ProfilePhase::kEmbedding);
  const ModuleScope scope(module_);
  at::Tensor frames = features(input_values, operators);
  if (feature_norm_) frames = (*feature_norm_)(frames, operators);
  frames = projection_->forward(frames);
  if (is_training && dropout_ > 0) frames = operators.dropout(frames, dropout_);
  if (token_mask.defined()) frames = frames * token_mask.unsqueeze(-1).to(frames.scalar_type());
  frames = frames + positions(frames);
  return norm_ ? (*norm_)(frames, operators) : frames;
}

}  // namespace transformeter
