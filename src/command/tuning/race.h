// Points of one case measured against each other in short trials, each in a worker of its own, as a run of trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/units.h"
#include "metrics/quads.h"
#include "run/prepare_run.h"
#include "run/progress.h"
#include "store/store.h"

namespace transformeter {

/// What a search is for.
enum class Objective { kLatency, kMemory };

/// What a point must keep to.
struct SearchLimits {
  Objective objective = Objective::kLatency;
  std::optional<double> divergence;  // from the reference's outputs, at most
};

/// Why a contender was not measured at all.
inline constexpr const char* kNotReached = "out of time";

struct Contender {
  Json point;
  std::string why_not;                 // it did not run, gives other outputs or breaks a limit; empty: it may be chosen
  std::optional<Quotient> speed_up;    // time of the first contender ÷ its time; nothing for too few pairs
  std::optional<double> memory_bytes;  // most that its worker held
  bool is_out = false;                 // left the race: it is no faster, see run/race_rule.h
};

struct Race {
  std::string run_id;
  std::vector<Contender> contenders;  // in the order of the points
  bool was_interrupted = false;
};

/// As many contenders as memory and half the time allow, in their order, race; the others are kNotReached. Their slices
/// are short, in turns with the first one's, and end once each is decided or the time is used up. Memory is compared
/// between `processes` workers of each, which live one at a time. Throws Error(kEnvironment) as execute does.
Race hold_race(const Context& context, Store& store, const PreparedRun& run, const RunnerOptions& options,
               const std::vector<Json>& points, const SearchLimits& limits, Seconds time, int processes,
               Progress& progress);

}  // namespace transformeter
