// A product that is known to the profiler by its module.
#pragma once

#include <memory>
#include <string>

#include "model/linear.h"

namespace transformeter {

/// The same kernel under that name.
std::shared_ptr<const LinearKernel> named_linear(std::string module, std::shared_ptr<const LinearKernel> kernel);

}  // namespace transformeter
