// The largest batch, or the longest texts, with which a case runs here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "run/largest_fit.h"
#include "run/prepare_run.h"
#include "schema/status.h"

namespace transformeter {

/// One trial: a fresh worker that loads the model and runs the case's shortest measurement.
struct TriedValue {
  std::int64_t value = 0;
  Fit fit = Fit::kUnclear;
  Status status = Status::kOk;
  std::string reason;                    // why it did not run
  std::optional<double> forecast;        // of live tensors, bytes; beforehand
  std::optional<double> peak_allocated;  // of live tensors, bytes
  std::optional<double> peak_rss;        // of the worker, bytes
};

struct LargestCase {
  std::string axis;  // "batch_size", "sequence_length", "prompt_length"
  LargestFit found;
  std::vector<TriedValue> trials;     // as found.trials
  std::int64_t largest = 0;           // that was to be tried
  bool ends_at_positions = false;     // which the model's positions hold
  std::optional<std::int64_t> limit;  // of the worker's memory, bytes
  Json requested = Json::object();    // of the last that fits, or of the first trial
};

struct LargestCaseOptions {
  std::string axis;
  std::optional<std::int64_t> largest;  // nothing: the model's positions, or kLargestBatch
  std::function<void(const TriedValue&)> on_trial;
};

inline constexpr std::int64_t kLargestBatch = 65536;

/// `run` holds one case. An interrupt leaves it unresolved. Throws Error(kBadInput) for a case without that setting,
/// batches of natural lengths and a `largest` out of range, Error(kEnvironment, kInterrupted).
LargestCase find_largest_case(const Context& context, const PreparedRun& run, const RunnerOptions& options,
                              const LargestCaseOptions& asked);

}  // namespace transformeter
