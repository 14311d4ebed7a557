// Each pair by itself.
#include "analysis/run_comparison.h"

#include <fmt/format.h>

#include <utility>

namespace transformeter {
namespace {

SpeedComparison speed_of(const CasePair& pair) {
  if (pair.before && pair.after) return compare_times(*pair.before, *pair.after);
  SpeedComparison missing;
  missing.reason = fmt::format("there is no such case {}", pair.before ? "after" : "before");
  return missing;
}

}  // namespace

GateAnswer RunComparison::gate_answer() const {
  std::vector<GateAnswer> answers;
  for (const ComparedPair& pair : pairs) {
    for (const GateResult& gate : pair.gates) answers.push_back(gate.answer);
  }
  return worst_of(answers);
}

RunComparison compare_runs(const RunSelection& before, const RunSelection& after, std::vector<Gate> gates,
                           PairAcross across) {
  PairedCases paired = pair_cases(before, after, across);
  RunComparison comparison{before, after, std::move(gates), std::move(paired.changes), std::move(paired.crossed), {}};
  for (CasePair& pair : paired.pairs) {
    ComparedPair& compared = comparison.pairs.emplace_back();
    compared.cases = std::move(pair);
    compared.speed = speed_of(compared.cases);
    for (const Gate& gate : comparison.gates) {
      compared.gates.push_back(judge(gate, compared.cases, compared.speed));
    }
  }
  return comparison;
}

}  // namespace transformeter
