// Norms and activations on ATen.
#include "model/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>

#include "base/error.h"

namespace transformeter {

at::Tensor Norm::operator()(const at::Tensor& input, const Operators& operators) const {
  if (kind == NormKind::kRms) return operators.rms_norm(input, weight, epsilon);
  return at::layer_norm(input, weight.sizes(), weight, bias, epsilon);
}

Norm make_norm(const Parameters& parameters, const NormSpec& spec) {
  const bool has_bias = spec.kind == NormKind::kLayer;
  return {parameters.at(spec.name + ".weight"), has_bias ? parameters.at(spec.name + ".bias") : at::Tensor(),
          spec.epsilon, spec.kind};
}

ActivationFunction activation_function(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return [](const at::Tensor& x) { return at::gelu(x); };
    case Activation::kGeluTanh:
      return [](const at::Tensor& x) { return at::gelu(x, "tanh"); };
    case Activation::kRelu:
      return [](const at::Tensor& x) { return at::relu(x); };
    case Activation::kSilu:
      return [](const at::Tensor& x) { return at::silu(x); };
    case Activation::kTanh:
      return [](const at::Tensor& x) { return at::tanh(x); };
  }
  throw Error(ErrorKind::kInternal, "unknown activation");
}

}  // namespace transformeter
