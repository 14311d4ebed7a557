// A model that compares texts and images by their vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "model/model.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// Of a blueprint with a text tower. See Model::forward for what it gives of images, texts and both.
std::unique_ptr<Model> make_two_towers(const Blueprint& blueprint, const Parameters& parameters);

/// As PairLogitsSpec has them: one number each, of any shape.
struct PairTerms {
  at::Tensor scale;
  at::Tensor bias;  // undefined: none
};
PairTerms pair_terms(const PairLogitsSpec& spec, const Parameters& parameters);

/// exp(scale) times the products of texts [B, C] and images [N, C], vectors of length 1, plus bias: [B, N].
at::Tensor pair_logits(const at::Tensor& texts, const at::Tensor& images, const PairTerms& terms);

}  // namespace transformeter
