// The three system calls by number: glibc has no wrapper for set_mempolicy, and none of them needs libnuma.
#include "base/placement.h"

#include <linux/mempolicy.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace transformeter {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;

int kernel_mode(MemoryPolicy::Mode mode) {
  switch (mode) {
    case MemoryPolicy::Mode::kBind:
      return MPOL_BIND;
    case MemoryPolicy::Mode::kInterleave:
      return MPOL_INTERLEAVE;
    case MemoryPolicy::Mode::kPrefer:
      return MPOL_PREFERRED;
    case MemoryPolicy::Mode::kNone:
      break;
  }
  return MPOL_DEFAULT;
}

}  // namespace

std::vector<PlacementCalls::Word> PlacementCalls::bits_of(const std::vector<int>& numbers) {
  std::vector<Word> words;
  for (const int number : numbers) {
    const auto bit = static_cast<std::size_t>(number);
    words.resize(std::max(words.size(), bit / kWordBits + 1));
    words[bit / kWordBits] |= Word{1} << (bit % kWordBits);
  }
  return words;
}

PlacementCalls::PlacementCalls(const Placement& placement)
    : cpus_(bits_of(placement.cpus)),
      nodes_(bits_of(placement.memory.nodes)),
      memory_mode_(kernel_mode(placement.memory.mode)),
      no_huge_pages_(placement.no_huge_pages) {}

std::string_view text_of(PlacementStep step) {
  switch (step) {
    case PlacementStep::kProcessors:
      return "bind it to processors";
    case PlacementStep::kMemory:
      return "bind its memory to NUMA nodes";
    case PlacementStep::kHugePages:
      return "disable transparent huge pages for it";
    case PlacementStep::kNone:
      break;
  }
  return "start it";
}

PlacementStep PlacementCalls::apply() const noexcept {
  if (!cpus_.empty() && ::syscall(SYS_sched_setaffinity, 0, cpus_.size() * sizeof(Word), cpus_.data()) != 0) {
    return PlacementStep::kProcessors;
  }
  // The kernel reads one bit less than it is told.
  if (memory_mode_ != MPOL_DEFAULT &&
      ::syscall(SYS_set_mempolicy, memory_mode_, nodes_.data(), nodes_.size() * kWordBits + 1) != 0) {
    return PlacementStep::kMemory;
  }
  if (no_huge_pages_ && ::prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL) != 0) {
    return PlacementStep::kHugePages;
  }
  return PlacementStep::kNone;
}

}  // namespace transformeter
