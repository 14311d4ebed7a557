// LibTorch's in-place operators.
#include "engine/activate.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>

#include "model/blocks.h"

namespace transformeter {

void activate_in_place(at::Tensor& values, Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      at::gelu_(values);
      return;
    case Activation::kGeluTanh:
      at::gelu_(values, "tanh");
      return;
    case Activation::kRelu:
      at::relu_(values);
      return;
    case Activation::kSilu:
      at::silu_(values);
      return;
    case Activation::kTanh:
      at::tanh_(values);
      return;
    default:
      values.copy_(activation_function(activation)(values));
  }
}

}  // namespace transformeter
