// get_mempolicy(2) by number, since libnuma has the only wrapper.
#include "machine/memory_policy.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace transformeter {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
constexpr std::size_t kMaxNodes = 4096;  // the kernel refuses fewer than it was built for: 1024 at most so far

MemoryPolicy::Mode mode_of(int kernel_mode) {
  switch (kernel_mode & ~MPOL_MODE_FLAGS) {
    case MPOL_BIND:
      return MemoryPolicy::Mode::kBind;
    case MPOL_INTERLEAVE:
      return MemoryPolicy::Mode::kInterleave;
    case MPOL_PREFERRED:
      return MemoryPolicy::Mode::kPrefer;
    default:
      return MemoryPolicy::Mode::kNone;
  }
}

}  // namespace

std::optional<MemoryPolicy> read_memory_policy() {
  int kernel_mode = 0;
  std::array<unsigned long, kMaxNodes / kWordBits> bits{};
  if (::syscall(SYS_get_mempolicy, &kernel_mode, bits.data(), kMaxNodes, nullptr, 0UL) != 0) return std::nullopt;
  MemoryPolicy policy;
  policy.mode = mode_of(kernel_mode);
  if (policy.mode == MemoryPolicy::Mode::kNone) return policy;
  for (std::size_t node = 0; node < kMaxNodes; ++node) {
    if ((bits[node / kWordBits] >> (node % kWordBits) & 1UL) != 0) policy.nodes.push_back(static_cast<int>(node));
  }
  return policy;
}

}  // namespace transformeter
