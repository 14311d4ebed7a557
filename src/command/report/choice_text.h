// A choice of cases in words.
#pragma once

#include <string>

#include "analysis/case_choice.h"

namespace transformeter {

/// "memory of at most 2.00 GiB"
std::string bound_text(const Limit& limit);

/// "highest throughput", "lowest latency", "lowest cost".
std::string best_text(Objective objective);

/// "386 sample/s ± 9.5 %".
std::string row_text(const MetricRow& row);

/// "87 %", "> 99 %", "< 1 %".
std::string share_text(double share);

/// "b8: 386 sample/s ± 9.5 %, the best with a probability of 87 %; undecided between b8 and b16"; why no case, where
/// none can be chosen.
std::string answer_text(const CaseChoice& choice, const ChoiceOptions& options);

/// What the probability covers, or why there is none.
std::string confidence_text(const CaseChoice& choice);

/// "latency_p95 of at most 50.0 ms: 3 cases miss it, nearest b32 with 61.0 ms".
std::string exclusion_text(const CaseChoice& choice, const Exclusion& exclusion);

/// "batch_size 8 instead of 1: 3.1 times the samples per second (95 % interval 2.9 to 3.3 over replicates), b8 against
/// b1; latency 3.00 ms ± 1.2 % against 1.15 ms ± 0.8 %".
std::string effect_text(const SettingEffect& effect);

/// A command line for each run that measured some of the cases, each on a line, into that
/// store; empty without a number of replicates.
std::string next_commands(const CaseChoice& choice, const std::string& store);

}  // namespace transformeter
