// Patches side by side, then one product: windows that touch need no convolution (docs/decisions.md).
#include "model/image_embedding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include "model/kept_format.h"
#include "model/profile_scope.h"

namespace transformeter {

ImageEmbedding::ImageEmbedding(const EmbeddingSpec& spec, const Parameters& parameters)
    : spec_(*spec.patches),
      weight_(parameters.at(spec_.projection.weight).flatten(1)),
      positions_(parameters.at(spec_.positions)),
      module_(common_module({module_of(spec_.projection.weight), module_of(spec_.positions)})),
      projection_module_(module_of(spec_.projection.weight)) {
  for (const std::string& token : spec_.first_tokens) first_tokens_.push_back(parameters.at(token).view({1, 1, -1}));
  if (!spec_.projection.bias.empty()) bias_ = parameters.at(spec_.projection.bias);
  if (spec.norm) norm_ = make_norm(parameters, *spec.norm);
}

at::Tensor ImageEmbedding::patches_of(const at::Tensor& pixels) const {
  const PixelSize& patch = spec_.patch;
  const std::int64_t rows = spec_.image.size.height / patch.height, columns = spec_.image.size.width / patch.width;
  // What is left at the right and at the bottom belongs to no patch.
  return pixels.narrow(2, 0, rows * patch.height)
      .narrow(3, 0, columns * patch.width)
      .reshape({pixels.size(0), spec_.image.channels, rows, patch.height, columns, patch.width})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({pixels.size(0), rows * columns, spec_.projection.in});
}

at::Tensor ImageEmbedding::projected(const at::Tensor& pixels) const {
  const ModuleScope scope(projection_module_);
  const KeptFormat kept;
  return at::linear(patches_of(pixels), weight_, bias_);
}

at::Tensor ImageEmbedding::forward(const at::Tensor& pixel_values, const Operators& operators) const {
  const PhaseScope phase(ProfilePhase::kEmbedding);
  const ModuleScope scope(module_);
  std::vector<at::Tensor> tokens;
  for (const at::Tensor& token : first_tokens_) tokens.push_back(token.expand({pixel_values.size(0), -1, -1}));
  tokens.push_back(projected(pixel_values.to(weight_.scalar_type())));
  at::Tensor rows = at::cat(tokens, 1);
  tokens.clear();  // the projection is not needed beside the sum
  rows = rows + positions_;
  return norm_ ? (*norm_)(rows, operators) : rows;
}

}  // namespace transformeter
