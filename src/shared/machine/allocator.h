// Which malloc this process runs with, as found in the process itself and not as asked for.
#pragma once

#include <string>

namespace transformeter {

struct AllocatorInUse {
  std::string name;     // "glibc", "glibc_raised", "jemalloc", "mimalloc", or the file that malloc comes from
  std::string version;  // as the library tells it; empty: it does not
};

/// glibc counts as raised when a freed block of 64 MiB stays in its heap; the block is never touched. Not for a timed
/// window: it takes the allocator's locks.
AllocatorInUse read_allocator();

}  // namespace transformeter
