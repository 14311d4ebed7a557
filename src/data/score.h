// A task's score: a named value with its 95 % interval, and what must be said beside it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/estimate.h"

namespace transformeter {

struct Score {
  std::string name;             // as docs/metrics.md defines it: "accuracy", "exact_match", "entity_f1"
  std::string group;            // what part it is of, as an entity type; empty: of everything
  Estimate estimate;            // a ratio from 0 to 1, but for perplexities and bits; n: the units that count
  std::string why_no_interval;  // where the estimate has none
};

struct ScoreReport {
  std::string task;
  std::string rules;               // by whose definition, as "SQuAD v1.1"
  std::vector<Score> scores;       // the headline first
  std::vector<std::string> notes;  // what was missing or left out
};

/// Gives a score the bootstrap interval of `statistic` over its units ("examples"), with one seed, so that equal
/// answers have equal intervals; or says why it has none. Units that all agree carry none: the interval would be a
/// point.
void add_bootstrap_interval(Score& score, std::size_t unit_count, std::string_view units,
                            const ResampledStatistic& statistic);

}  // namespace transformeter
