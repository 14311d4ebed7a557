// From pixels to the first hidden states.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "model/blocks.h"
#include "model/operators.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

class ImageEmbedding {
 public:
  /// Of a spec with patches.
  ImageEmbedding(const EmbeddingSpec& spec, const Parameters& parameters);

  /// [B, channels, height, width] of any floating-point type, the size of the spec, to [B, T, C] of the weights' type.
  at::Tensor forward(const at::Tensor& pixel_values, const Operators& operators) const;

 private:
  /// [B, patches, channels · height · width].
  at::Tensor patches_of(const at::Tensor& pixels) const;
  /// [B, patches, C].
  at::Tensor projected(const at::Tensor& pixels) const;

  PatchSpec spec_;
  at::Tensor weight_, bias_;              // [C, channels · height · width], [C]
  std::vector<at::Tensor> first_tokens_;  // each [1, 1, C]
  at::Tensor positions_;                  // [T, C] or [1, T, C]
  std::optional<Norm> norm_;
  std::string module_, projection_module_;  // their names in the checkpoint
};

}  // namespace transformeter
