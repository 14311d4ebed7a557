// A peak that could not be reset is of the process's whole life, and none of loading.
#include "measure/loading_memory.h"

#include "machine/process_memory.h"

namespace transformeter {

LoadingMemory::LoadingMemory() : baseline_(read_process_memory(0).rss_bytes), peak_was_reset_(reset_peak_rss(0)) {}

void LoadingMemory::add_to(std::vector<Series>& series) const {
  if (baseline_) series.push_back(scalar_series("baseline_rss", static_cast<double>(*baseline_)));
  if (!peak_was_reset_) return;
  if (const auto peak = read_process_memory(0).peak_rss_bytes) {
    series.push_back(scalar_series("peak_rss_load", static_cast<double>(*peak)));
  }
}

}  // namespace transformeter
