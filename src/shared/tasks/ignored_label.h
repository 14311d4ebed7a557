// The label that does not count.
#pragma once

#include <cstdint>

namespace transformeter {

/// As PyTorch's ignore_index.
inline constexpr std::int64_t kNoLabel = -100;

}  // namespace transformeter
