// The kernels that an engine plugs into a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/operators.h"

namespace transformeter {

/// "sdpa" (LibTorch's scaled_dot_product_attention, which picks its kernel), "eager" (matmul, softmax, matmul), or one
/// of LibTorch's kernels: "math", "flash"; "tiled" (engine/tiled_attention.h), or the faster of "sdpa" and "tiled" by a
/// trial in the first passes: "trial", both of the CPU. `fused`: RMS norms and rotations in one pass over memory, each
/// of our own, and query heads that share keys joined where there is one token. Throws Error(kUnsupported) for another
/// name.
/// On a GPU also "memory_efficient", "cudnn" and "flash_varlen", and nothing is fused: the rows' kernels are the CPU's.
std::unique_ptr<Operators> make_operators(const std::string& attention, bool fused = false, bool on_gpu = false);

/// Names make_operators takes, on a GPU too or on the CPU alone.
std::vector<std::string> attention_names(bool with_gpu = false);

}  // namespace transformeter
