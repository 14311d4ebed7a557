// What a worker imposes on itself before it allocates: a memory limit that fails as an exception, and to be the first
// one the kernel kills.
#pragma once

#include <optional>

#include "machine/system_files.h"

namespace transformeter {

/// Left to the rest of the machine when a worker takes all it may.
inline constexpr long long kMemoryReserveBytes = 1LL << 30;

/// min(asked, available − 1 GiB); nothing asked means as much as there is. Throws Error(kBadInput) when `asked` is not
/// positive and Error(kEnvironment) when less than the reserve is available.
long long memory_limit_within(std::optional<long long> asked, long long available_bytes);

/// Bounds heap, stacks and private writable mappings of the calling process (RLIMIT_DATA, soft limit), so that the next
/// allocation beyond it fails; what is mapped already counts and stays. Returns the limit read back, which is lower
/// than asked where the hard limit is. Throws Error(kBadInput) when `bytes` is not positive, Error(kEnvironment) when
/// the kernel refuses.
long long apply_memory_limit(long long bytes);
/// The limit in force; nothing: none.
std::optional<long long> memory_limit_bytes();

/// Writes the calling process's oom_score_adj (−1000 … 1000; 1000: killed first) and returns what the kernel then
/// holds: the old value when it refused, nothing when it cannot be read.
std::optional<int> set_oom_score_adjustment(int value, const SystemFiles& files = SystemFiles());

}  // namespace transformeter
