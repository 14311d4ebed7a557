// Recognizes failed allocations among the exceptions of LibTorch.
#pragma once

#include <exception>

namespace transformeter {

/// Whether `error` is one of memory: our own, the language's, or what LibTorch's allocators and oneDNN throw.
bool is_out_of_memory(const std::exception& error);

}  // namespace transformeter
