// Tries with which batch, or which length of texts, a case still runs here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/context.h"
#include "metrics/largest_case.h"
#include "run/prepare_run.h"

namespace transformeter {

struct LargestCaseOptions {
  std::string axis;
  std::optional<std::int64_t> largest;  // nothing: the model's positions, or kLargestBatch
  std::function<void(const TriedValue&)> on_trial;
};

inline constexpr std::int64_t kLargestBatch = 65536;

/// `run` holds one case. An interrupt of a trial leaves it unresolved. Throws Error(kBadInput) for a case without that
/// setting, batches of natural lengths, a case that cannot run and a `largest` out of range, Error(kEnvironment,
/// kInterrupted).
LargestCase find_largest_case(const Context& context, const PreparedRun& run, const RunnerOptions& options,
                              const LargestCaseOptions& asked);

}  // namespace transformeter
