// A product whose weights are frozen, with a LoRA adapter beside it.
#pragma once

#include <memory>

#include "model/linear.h"

namespace transformeter {

/// y + scale · B(A(x)), where y is what `base` gives.
struct AdapterKernels {
  std::shared_ptr<const LinearKernel> lora_a;
  std::shared_ptr<const LinearKernel> lora_b;
  double scale = 1;
};

std::shared_ptr<const LinearKernel> adapted_linear(std::shared_ptr<const LinearKernel> base, AdapterKernels adapter);

}  // namespace transformeter
