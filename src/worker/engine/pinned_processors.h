// Where threads that are pinned one by one run, and how a library that starts its own sees the others.
#pragma once

#include <sched.h>

#include <vector>

namespace transformeter {

/// Of each thread, in their order: the first of OMP_PLACES as the launch sets it, "{0},{1}". Throws Error(kUnsupported)
/// for too few places, and places of another form.
std::vector<int> pinned_processors(int threads);

/// For as long as it lives, the calling thread may run on all of those, and so may threads that it starts: a pinned one
/// would make a library believe that the machine has one processor. Nothing changes for an empty list.
class AllProcessors {
 public:
  explicit AllProcessors(const std::vector<int>& processors);
  ~AllProcessors();
  AllProcessors(const AllProcessors&) = delete;
  AllProcessors& operator=(const AllProcessors&) = delete;

 private:
  bool is_changed_ = false;
  cpu_set_t before_{};
};

}  // namespace transformeter
