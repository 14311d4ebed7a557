// Which case to take, how sure that is, and what speaks for each: as a document and as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/case_choice.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// What is said of all groups.
struct ChoiceReport {
  ChoiceOptions options;
  std::vector<Price> prices;  // those that are used
  std::vector<CaseChoice> choices;
  std::size_t training_cases = 0;  // that were left out
  std::string store;               // what was read, and is measured into next
};

/// The answer of each group with its confidence, the next best, what to measure, the trade-offs and what single
/// settings are worth, then all cases.
Document choice_document(const ChoiceReport& report);

/// As docs/recommend.md describes it.
Json choice_json(const ChoiceReport& report);

}  // namespace transformeter
