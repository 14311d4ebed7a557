// The choice among stored cases that `recommend` answers with.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/case_choice.h"
#include "cli/case_selection.h"
#include "cli/price_options.h"
#include "store/baseline_store.h"
#include "store/store.h"

namespace transformeter {

/// By run and case.
using LevelsOfCases = std::map<std::pair<std::string, std::string>, Level>;

struct ChoiceRequest {
  std::vector<std::string> parts;  // as CaseSelection takes them
  ChoiceOptions options;
  PriceOptions& prices;                          // after check()
  const std::atomic<bool>* interrupt = nullptr;  // null: never
};

/// Choices, and the cases that they borrow.
class StoredChoice {
 public:
  /// Of all cases but those of training. Throws Error(kBadInput) where there are none, for a price that is missing and
  /// as CaseSelection, Error(kInterrupted).
  StoredChoice(Store& store, BaselineStore& baselines, const ChoiceRequest& request);

  const std::vector<CaseChoice>& choices() const { return choices_; }
  std::size_t left_out() const { return selection_.left_out(); }  // cases of training

  /// Ids of the cases that more processes would tell apart; none where all choices are made, or measuring does not
  /// help: where figures stay doubtful in as many processes as next_measurement asks for, their causes must go first.
  std::vector<std::string> undecided_cases() const;

 private:
  LevelsOfCases p95_;
  CaseSelection selection_;
  std::vector<CaseChoice> choices_;
};

}  // namespace transformeter
