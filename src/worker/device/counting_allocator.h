// Counts the live bytes of LibTorch's CPU tensors, exactly, by standing before LibTorch's own allocator.
#pragma once

#include <cstdint>

namespace transformeter {

/// Puts the counter before LibTorch's CPU allocator for the rest of the process; a second call does nothing.
/// Must come before the first tensor is made, or that tensor's release would go uncounted.
void install_counting_allocator();

/// Live bytes as the allocator rounds them, and their largest value since the last reset. Thread-safe.
std::int64_t allocated_bytes();
std::int64_t peak_allocated_bytes();
void reset_peak_allocated_bytes();

}  // namespace transformeter
