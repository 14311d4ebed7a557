// The largest batch, or the longest texts, with which a case runs, as trials found it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "metrics/case_forecast.h"
#include "schema/status.h"

namespace transformeter {

/// What came of one trial.
enum class Fit {
  kFits,
  kTooLarge,  // memory or the model's shape does not allow it
  kUnclear,   // it failed for another reason, or took too long
};

/// "fits", "too large", "unclear".
std::string_view name_of(Fit fit);

struct LargestFit {
  std::optional<std::int64_t> fits;       // the largest that did
  std::optional<std::int64_t> too_large;  // the smallest that did not; nothing: the largest allowed value fits
  std::optional<std::int64_t> changed;    // ran once and did not once; the two are then those nearest to it
  /// The two are neighbours, or the largest allowed value fits, or the smallest does not, and each came out the same a
  /// second time.
  bool is_resolved = false;
};

/// One trial: a fresh worker that loads the model and runs the case's shortest measurement.
struct TriedValue {
  std::int64_t value = 0;
  Fit fit = Fit::kUnclear;
  Status status = Status::kOk;
  std::string reason;                    // why it did not run
  CaseForecast forecast;                 // beforehand
  std::optional<double> peak_allocated;  // of live tensors, bytes
  std::optional<double> peak_rss;        // of the worker, bytes
};

/// Why no larger value is allowed.
enum class LargestAllowed {
  kBound,      // the usual one, or as asked
  kPositions,  // the model's positions hold no more
  kInputs,     // a cycle may hold no more images or sounds
};

struct LargestCase {
  std::string axis;  // "batch_size", "sequence_length", "prompt_length"
  LargestFit found;
  std::vector<TriedValue> trials;  // in their order
  std::int64_t largest = 0;        // allowed value
  LargestAllowed bound = LargestAllowed::kBound;
  std::optional<std::int64_t> limit;  // of the worker's memory, bytes
  bool is_limit_asked = false;        // else what was available when the search began
  Json requested = Json::object();    // of the largest that fits, or of the first trial
};

}  // namespace transformeter
