// As apply_rotary_pos_emb of transformers/models/llama.
#include "model/rotary_embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <utility>
#include <vector>

namespace transformeter {

namespace {

at::Tensor frequencies_of(const RotarySpec& spec, std::int64_t tokens, c10::Device device) {
  const std::vector<double> values = rotary_frequencies(spec, tokens);
  at::Tensor frequencies = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  for (std::size_t i = 0; i < values.size(); ++i) frequencies.data_ptr<float>()[i] = static_cast<float>(values[i]);
  return frequencies.to(device);
}

}  // namespace

RotaryEmbedding::RotaryEmbedding(RotarySpec spec, c10::Device device) : spec_(std::move(spec)) {
  if (!depends_on_length(spec_)) frequencies_ = frequencies_of(spec_, 1, device);
}

Rotation RotaryEmbedding::at(const at::Tensor& positions, std::int64_t tokens, c10::ScalarType type) const {
  const at::Tensor frequencies =
      frequencies_.defined() ? frequencies_ : frequencies_of(spec_, tokens, positions.device());
  const at::Tensor half = positions.to(at::kFloat).unsqueeze(-1) * frequencies;
  const at::Tensor angles = at::cat({half, half}, -1).unsqueeze(1);  // [B, 1, T, dimensions]
  return {(angles.cos() * spec_.attention_factor).to(type), (angles.sin() * spec_.attention_factor).to(type)};
}

at::Tensor rotate(const at::Tensor& input, const Rotation& rotation) {
  const std::int64_t turned = rotation.cosine.size(-1), half = turned / 2;
  const at::Tensor first = input.slice(-1, 0, turned);
  const at::Tensor swapped = at::cat({-first.slice(-1, half), first.slice(-1, 0, half)}, -1);
  at::Tensor rotated = first * rotation.cosine + swapped * rotation.sine;
  if (turned == input.size(-1)) return rotated;
  // Tokens before heads, as whole heads lie: attention's result lies as its queries do, and would be copied otherwise.
  return at::cat({rotated.transpose(1, 2), input.slice(-1, turned).transpose(1, 2)}, -1).transpose(1, 2);
}

}  // namespace transformeter
