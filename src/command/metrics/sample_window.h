// The samples of one replicate that count: after warm-up for a fixed shape, in complete cycles for several batches.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "schema/series.h"

namespace transformeter {

/// A unit is a sample for one batch per cycle (K = 1) and a complete cycle for more. Nothing here is NaN or infinite.
struct SampleWindow {
  std::size_t batches_per_cycle = 1;  // K
  std::vector<double> samples;        // seconds, in order; empty when nothing can be said
  std::vector<std::size_t> places;    // of each sample in the whole series
  std::vector<double> seconds;        // of each unit
  std::vector<double> examples;       // of each unit; empty when the series has no such column, as the next two
  std::vector<double> useful_tokens;
  std::vector<double> processed_tokens;
  std::optional<std::size_t> from;  // place in the whole series, warm-up included, of the first steady sample
  bool drift = false;
  bool autocorrelation_untested = false;     // fewer than 20 units
  double effective_n = 0;                    // of the mean over the units
  int process = 0;                           // index of the replicate
  std::optional<double> start_s;             // of a slice, from the start of the run
  std::optional<double> independent_slices;  // of its process
  bool is_of_passes = false;  // each sample is a whole cycle, whose time is a mean as that of K batches is
  std::string problem;        // why no interval can be claimed, or why `samples` is empty

  bool has_cycles() const { return batches_per_cycle > 1; }
  bool is_of_cycles() const { return has_cycles() || is_of_passes; }
  bool steady() const { return problem.empty(); }
};

struct SampleWindowOptions {
  std::size_t batches_per_cycle = 1;
  bool warmup_is_fixed = false;  // the user chose the warm-up: nothing more is cut
};

/// `latency` may be null, empty or malformed: the window is then empty and names its problem. A window that is not
/// steady keeps all measured samples, to be described without an interval.
SampleWindow sample_window(const Series* latency, const SampleWindowOptions& options);

/// The largest batch index of the measured samples, plus one; 1 without an index column.
std::size_t batches_in(const Series& latency);

}  // namespace transformeter
