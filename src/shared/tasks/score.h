// A task's score: a named value with its 95 % interval, and what must be said beside it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/task.h"
#include "stats/bootstrap.h"
#include "stats/estimate.h"

namespace transformeter {

enum class IntervalMethod {
  kWilson,               // of a share of independent units, those that n counts
  kPercentileBootstrap,  // over units of its own, with kScoreBootstrap
};

/// One seed, so that equal answers have equal intervals.
inline constexpr BootstrapOptions kScoreBootstrap{};

struct Score {
  std::string name;    // as docs/metrics.md defines it: "accuracy", "exact_match", "entity_f1"
  std::string group;   // what part it is of, as an entity type; empty: of everything
  Estimate estimate;   // a ratio from 0 to 1, but for error rates, perplexities and bits
  std::string counts;  // what the estimate's n counts: "examples", "tokens", "annotated entities"
  IntervalMethod interval_method = IntervalMethod::kWilson;
  std::string interval_units;   // what the interval takes for independent: "examples", "sentences"
  std::string why_no_interval;  // where the estimate has none
};

struct ScoreReport {
  Task task{};
  std::string rules;               // by whose definition, as "SQuAD v1.1"
  std::vector<Score> scores;       // the headline first
  std::vector<std::string> notes;  // what was missing or left out
};

/// successes / n with Wilson's interval; `counts` says what n is, as "examples". Throws Error(kBadInput) for n = 0.
Score share_score(std::string name, std::string counts, std::size_t successes, std::size_t n);

/// Called now and then by what may take long; throws to end it. Empty: nobody asks.
using StopCheck = std::function<void()>;

/// Gives a score the bootstrap interval of `statistic` over its units ("examples"), or says why it has none. Units that
/// all agree carry none: the interval would be a point.
void add_bootstrap_interval(Score& score, std::size_t unit_count, std::string_view units,
                            const ResampledStatistic& statistic, const StopCheck& check = {});

/// The statistic of all units, each of which counts ("examples"), with its bootstrap interval. Not a number where it is
/// undefined for them: readers show that as missing.
Score bootstrapped_score(std::string name, std::size_t unit_count, const std::string& units,
                         const ResampledStatistic& statistic, const StopCheck& check = {});

}  // namespace transformeter
