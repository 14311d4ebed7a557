// The smallest parts of a model: norms and activations.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/operators.h"
#include "model/parameters.h"
#include "spec/blueprint.h"

namespace transformeter {

/// Over the last dimension: layer norm, or RMS norm (Zhang and Sennrich 2019) where there is no bias.
struct Norm {
  at::Tensor weight;  // [C]
  at::Tensor bias;    // [C]; undefined for an RMS norm
  double epsilon = 1e-12;
  NormKind kind = NormKind::kLayer;
  double weight_offset = 0;
  std::string module = {};  // its name in the checkpoint

  at::Tensor operator()(const at::Tensor& input, const Operators& operators) const;
};

Norm make_norm(const Parameters& parameters, const NormSpec& spec);

using ActivationFunction = at::Tensor (*)(const at::Tensor&);
ActivationFunction activation_function(Activation activation);

}  // namespace transformeter
