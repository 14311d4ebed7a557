// Attention kernels that LibTorch has on CUDA devices alone.
#pragma once

#include <memory>
#include <string>

#include "model/operators.h"

namespace transformeter {

/// "flash", "memory_efficient", "cudnn" or "flash_varlen", forced: what the kernel cannot take is Error(kUnsupported).
/// Null for other names.
std::unique_ptr<Operators> make_gpu_operators(const std::string& attention);

}  // namespace transformeter
