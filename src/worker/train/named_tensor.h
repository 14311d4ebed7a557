// A tensor that is kept by its name.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace transformeter {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

}  // namespace transformeter
