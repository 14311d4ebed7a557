// How an allocation that failed looks to those who call LibTorch.
#pragma once

#include <exception>

namespace transformeter {

/// Whether `error` is one of memory: our own, the language's, or what LibTorch's allocators and oneDNN throw.
bool is_out_of_memory(const std::exception& error);

}  // namespace transformeter
