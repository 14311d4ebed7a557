// A tensor that is kept by its name.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace transformeter {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

/// What a file gets in place of a tensor's value: of the same shape and type.
using WrittenValue = std::function<at::Tensor(const NamedTensor&)>;

}  // namespace transformeter
