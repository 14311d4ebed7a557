// An activation written over its input.
#pragma once

#include <ATen/core/Tensor.h>

#include "spec/blueprint.h"

namespace transformeter {

void activate_in_place(at::Tensor& values, Activation activation);

}  // namespace transformeter
