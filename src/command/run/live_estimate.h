// The estimate a person sees while a case is measured; what is stored and reported is computed elsewhere, from all of
// the samples.
#pragma once

#include <cstddef>
#include <vector>

#include "run/progress.h"
#include "schema/series.h"

namespace transformeter {

/// Whether what is measured differs by its index, as the batches of a cycle do, or is alike, as requests of one length.
enum class UnitKind { kByIndex, kAlike };

/// Looks again only when the samples have grown by a tenth, so that long measurements cost the parent little.
class LiveEstimate {
 public:
  explicit LiveEstimate(UnitKind kind = UnitKind::kByIndex) : kind_(kind) {}

  /// `series`: all of the replicate's so far. Median of the unflagged latencies; the half-width only for cycles of one
  /// batch, since batches of different shapes have no common latency.
  ProgressSamples update(const std::vector<Series>& series);

 private:
  UnitKind kind_;
  std::size_t next_look_ = 1;
  ProgressSamples last_;
};

}  // namespace transformeter
