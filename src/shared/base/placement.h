// Where a child process may run and from where it gets its memory: what a process sets on itself and keeps over exec.
#pragma once

#include <string_view>
#include <vector>

namespace transformeter {

/// As set_mempolicy(2): pages from these NUMA nodes alone (bind), in turn (interleave), or from others too once they
/// are full (prefer).
struct MemoryPolicy {
  enum class Mode { kNone, kBind, kInterleave, kPrefer };
  Mode mode = Mode::kNone;
  std::vector<int> nodes;  // ascending; empty for none
};

struct Placement {
  std::vector<int> cpus;  // the affinity mask; empty: as this process
  MemoryPolicy memory;
  bool no_huge_pages = false;  // PR_SET_THP_DISABLE
};

/// What the kernel may refuse; kNone: nothing.
enum class PlacementStep { kNone, kProcessors, kMemory, kHugePages };

/// "bind it to processors", to stand after "cannot".
std::string_view text_of(PlacementStep step);

/// A placement as the bit masks that the kernel takes, made before fork so that apply() allocates nothing.
class PlacementCalls {
 public:
  explicit PlacementCalls(const Placement& placement);

  /// Sets it on the calling thread, huge pages on its process; only async-signal-safe calls. The first step that the
  /// kernel refused, with errno set.
  PlacementStep apply() const noexcept;

 private:
  using Word = unsigned long;
  static std::vector<Word> bits_of(const std::vector<int>& numbers);

  std::vector<Word> cpus_;
  std::vector<Word> nodes_;
  int memory_mode_;
  bool no_huge_pages_;
};

}  // namespace transformeter
