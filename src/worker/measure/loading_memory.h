// Measures the process's memory before a model is loaded and its peak while loading.
#pragma once

#include <optional>
#include <vector>

#include "schema/series.h"

namespace transformeter {

class LoadingMemory {
 public:
  /// When loading begins. The process's peak counts from here, where the kernel allows it.
  LoadingMemory();
  /// When it is over: adds baseline_rss and peak_rss_load, each where it is known.
  void add_to(std::vector<Series>& series) const;

 private:
  std::optional<long long> baseline_;
  bool peak_was_reset_;
};

}  // namespace transformeter
