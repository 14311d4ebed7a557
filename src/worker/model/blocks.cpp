// Norms and activations on ATen.
#include "model/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/relu6.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tanh.h>

#include <cmath>

#include "base/error.h"
#include "model/profile_scope.h"

namespace transformeter {

at::Tensor Norm::operator()(const at::Tensor& input, const Operators& operators) const {
  const PhaseScope phase(ProfilePhase::kNorm);
  const ModuleScope scope(module);
  if (kind == NormKind::kRms) return operators.rms_norm(input, weight, epsilon, weight_offset);
  return at::layer_norm(input, weight.sizes(), weight, bias, epsilon);
}

Norm make_norm(const Parameters& parameters, const NormSpec& spec) {
  const bool has_bias = spec.kind == NormKind::kLayer;
  return {parameters.at(spec.name + ".weight"),
          has_bias ? parameters.at(spec.name + ".bias") : at::Tensor(),
          spec.epsilon,
          spec.kind,
          spec.weight_offset,
          spec.name};
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
    case Activation::kClippedGelu:
      return [](const at::Tensor& x) { return at::gelu(x).clamp(-10, 10); };
    case Activation::kQuickGelu:
      return [](const at::Tensor& x) { return x * (x * 1.702).sigmoid(); };
    case Activation::kHardSwish:
      return [](const at::Tensor& x) { return at::hardswish(x); };
    case Activation::kLaplace:
      return [](const at::Tensor& x) { return ((x - 0.707107) / (0.282095 * std::sqrt(2.0))).erf().add(1).mul(0.5); };
    case Activation::kLeakyRelu:
      return [](const at::Tensor& x) { return at::leaky_relu(x); };
    case Activation::kLinear:
      return [](const at::Tensor& x) { return x; };
    case Activation::kMish:
      return [](const at::Tensor& x) { return at::mish(x); };
    case Activation::kRelu6:
      return [](const at::Tensor& x) { return at::relu6(x); };
    case Activation::kSigmoid:
      return [](const at::Tensor& x) { return x.sigmoid(); };
    case Activation::kSquaredRelu:
      return [](const at::Tensor& x) { return at::relu(x).square(); };
    case Activation::kSqrtSoftplus:
      return [](const at::Tensor& x) { return at::softplus(x).sqrt(); };
  }
  throw Error(ErrorKind::kInternal, "unknown activation");
}

}  // namespace transformeter
