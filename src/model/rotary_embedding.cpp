// As apply_rotary_pos_emb of transformers/models/llama.
#include "model/rotary_embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <vector>

namespace transformeter {

Rotation make_rotation(const RotarySpec& spec, const at::Tensor& positions, std::int64_t tokens, c10::ScalarType type) {
  const std::vector<double> values = rotary_frequencies(spec, tokens);
  at::Tensor frequencies = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  for (std::size_t i = 0; i < values.size(); ++i) frequencies.data_ptr<float>()[i] = static_cast<float>(values[i]);
  const at::Tensor half = positions.to(at::kFloat).unsqueeze(-1) * frequencies.to(positions.device());
  const at::Tensor angles = at::cat({half, half}, -1).unsqueeze(1);  // [B, 1, T, dimensions]
  return {(angles.cos() * spec.attention_factor).to(type), (angles.sin() * spec.attention_factor).to(type)};
}

at::Tensor rotate(const at::Tensor& input, const Rotation& rotation) {
  const std::int64_t half = input.size(-1) / 2;
  const at::Tensor swapped = at::cat({-input.slice(-1, half), input.slice(-1, 0, half)}, -1);
  return input * rotation.cosine + swapped * rotation.sine;
}

}  // namespace transformeter
