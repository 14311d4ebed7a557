// The estimate a person sees while a case is measured; what is stored and reported is computed elsewhere, from all of
// the samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "run/progress.h"
#include "schema/series.h"

namespace transformeter {

/// Whether what is measured differs by its index, as the batches of a cycle do, or is alike, as requests of one length.
enum class UnitKind { kByIndex, kAlike };

/// Where the interval comes from: the samples of a single window so far, the case's, as between its slices, or
/// nowhere, as of one of several replicates, since the case's interval is between them.
enum class IntervalSource { kSamples, kCase, kNone };

/// Looks again only when the samples have grown by a tenth, so that long measurements cost the parent little.
class LiveEstimate {
 public:
  explicit LiveEstimate(UnitKind kind = UnitKind::kByIndex, IntervalSource source = IntervalSource::kSamples)
      : kind_(kind), source_(source) {}

  /// `series`: all of the replicate's so far. Median of the latencies after warm-up, disturbed ones too. A half-width
  /// only for cycles of one batch, since batches of different shapes have no common latency.
  ProgressSamples update(const std::vector<Series>& series);
  /// The same at the end, of all samples however few have come since the last look, with the case's half-width.
  ProgressSamples last(const std::vector<Series>& series);

  /// Of the case, shown from now on where the source is kCase.
  void set_half_width(std::optional<double> half_width) { half_width_ = half_width; }

 private:
  void look(const std::vector<double>& values);

  UnitKind kind_;
  IntervalSource source_;
  std::optional<double> half_width_;
  std::size_t next_look_ = 1;
  ProgressSamples last_;
};

}  // namespace transformeter
