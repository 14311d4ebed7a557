// The processors of pinned threads, and more than one for libraries that start threads of their own.
#pragma once

#include <vector>

namespace transformeter {

/// One for each thread, in order: the first of OMP_PLACES as the launch sets it, "{0},{1}". Throws Error(kUnsupported)
/// for too few places, and places of another form.
std::vector<int> pinned_processors(int threads);

/// While it lives, the calling thread, and those that it starts, may run on all of `processors`. A library that is
/// called from a pinned thread would take the machine for one of a single processor. An empty list changes nothing.
class AllProcessors {
 public:
  explicit AllProcessors(const std::vector<int>& processors);
  ~AllProcessors();
  AllProcessors(const AllProcessors&) = delete;
  AllProcessors& operator=(const AllProcessors&) = delete;

 private:
  std::vector<int> before_;  // empty: nothing was changed
};

}  // namespace transformeter
