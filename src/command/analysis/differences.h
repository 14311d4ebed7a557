// What two runs differ in, by its likely effect on results.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_facts.h"
#include "schema/record.h"

namespace transformeter {

struct Difference {
  Cause cause = Cause::kSettings;
  std::string name;    // "threads", "LibTorch"
  std::string before;  // "none" for a setting that is not there
  std::string after;
  std::vector<std::string> cases = {};  // labels of those that have it, where not all do

  /// "threads 1 → 2".
  std::string text() const;
};

/// Cases of a run that stand on one side.
struct DifferenceSide {
  const RunRecord* run = nullptr;
  std::vector<const CaseRecord*> cases;
};

/// One case on each side, and what to call them.
struct DifferencePair {
  const CaseRecord* before = nullptr;
  const CaseRecord* after = nullptr;
  std::string label;
};

/// What differs in the settings asked for, texts and weights, the kernels that ran, programs and machine, as far as it
/// is known of both sides: by cause, of one cause in the order of its declarations. A setting has the values of all
/// cases of its side: "1,8". A setting that one side does not know, and whose default the other has, is no difference.
/// Names, stores and paths of programs are none.
std::vector<Difference> differences_between(const DifferenceSide& before, const DifferenceSide& after,
                                            const std::vector<DifferencePair>& pairs);

}  // namespace transformeter
