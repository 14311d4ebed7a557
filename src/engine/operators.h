// The kernels an engine plugs into a model's seams.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/operators.h"

namespace transformeter {

/// "sdpa" (LibTorch's scaled_dot_product_attention, which picks its kernel), "eager" (matmul, softmax, matmul), or one
/// of LibTorch's kernels: "math", "flash". Throws Error(kUnsupported) for another name.
std::unique_ptr<Operators> make_operators(const std::string& attention);

/// Names make_operators takes.
std::vector<std::string> attention_names();

}  // namespace transformeter
