// Two selections of stored cases, compared: what a gate and a report are made from.
#pragma once

#include <string>
#include <vector>

#include "analysis/case_pairs.h"
#include "analysis/compare_cases.h"
#include "analysis/gate.h"

namespace transformeter {

struct ComparedPair {
  CasePair cases;
  SpeedComparison speed;          // undecided with a reason where a side is missing
  std::vector<GateResult> gates;  // one for each gate
};

struct RunComparison {
  RunSelection before;
  RunSelection after;
  std::vector<Gate> gates;
  std::vector<std::string> changes;  // as PairedCases
  std::vector<std::string> crossed;
  std::vector<ComparedPair> pairs;

  GateAnswer gate_answer() const;
};

/// Throws as pair_cases.
RunComparison compare_runs(const RunSelection& before, const RunSelection& after, std::vector<Gate> gates,
                           PairAcross across = PairAcross::kNamed);

}  // namespace transformeter
