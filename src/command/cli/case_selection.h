// The cases of several runs, or of parts of them, that a command weighs against each other.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {

struct SelectedCase {
  const RunRecord* run = nullptr;
  std::string part;  // as the user named it
  AnalyzedCase one;  // with all rows; of several parts its label begins with its part
};

struct CaseSelectionOptions {
  std::function<bool(const CaseRecord&)> takes = [](const CaseRecord&) { return true; };
  std::function<void(const RunRecord&, const CaseRecord&)> with_series = nullptr;  // is given each that is taken
};

/// Runs, and cases that borrow them.
class CaseSelection {
 public:
  /// Each part is RUN, RUN:SETTING=VALUE,... or a baseline; none: the latest run. Throws Error(kBadInput) as
  /// part_named and chosen_cases, and for a case that is given twice.
  CaseSelection(Store& store, BaselineStore& baselines, const std::vector<std::string>& parts,
                const CaseSelectionOptions& options = {});

  const std::deque<SelectedCase>& cases() const { return cases_; }
  std::size_t left_out() const { return left_out_; }  // cases that were not taken

  /// Names of the processors of all runs, as far as they are known, each once.
  std::vector<std::string> processors() const;

 private:
  std::deque<RunRecord> runs_;
  std::deque<SelectedCase> cases_;
  std::size_t left_out_ = 0;
};

/// The parts as they are looked up: without any that of the latest run.
std::vector<std::string> named_parts(const std::vector<std::string>& parts);

}  // namespace transformeter
