// From pixels to the first hidden states.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "model/linear.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

class ImageEmbedding {
 public:
  ImageEmbedding(const PatchSpec& spec, const Parameters& parameters);

  /// [B, channels, height, width] of any floating-point type, the size of the spec, to [B, T, C] of the weights' type.
  at::Tensor forward(const at::Tensor& pixel_values) const;

 private:
  /// [B, patches, channels · height · width].
  at::Tensor patches_of(const at::Tensor& pixels) const;
  /// [B, patches, C].
  at::Tensor projected(const at::Tensor& pixels) const;

  PatchSpec spec_;
  at::Tensor weight_, bias_;  // [C, channels · height · width], [C]
  std::vector<at::Tensor> first_tokens_;
  at::Tensor positions_;
  std::string module_, projection_module_;  // their names in the checkpoint
};

}  // namespace transformeter
