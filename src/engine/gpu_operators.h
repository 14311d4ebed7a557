// Attention kernels that LibTorch has on CUDA devices alone.
#pragma once

#include <memory>
#include <string>

#include "model/operators.h"

namespace transformeter {

/// "flash", "memory_efficient" or "cudnn", forced: what the kernel cannot take is LibTorch's error, or ours. Null for
/// other names.
std::unique_ptr<Operators> make_gpu_operators(const std::string& attention);

}  // namespace transformeter
