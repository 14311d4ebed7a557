// The cases of two selections of stored results, paired by what they have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "analysis/setting_filter.h"
#include "schema/settings.h"

namespace transformeter {

/// One side of a comparison.
struct RunSelection {
  const RunRecord* run = nullptr;  // with its series or current summaries
  std::string name;                // as the user called it
  std::vector<SettingFilter> filters;
};

/// Either side may lack the case. Labels say which side a case is of.
struct CasePair {
  std::string label;  // what tells the pair from the others: "b8 bf16"
  std::optional<AnalyzedCase> before;
  std::optional<AnalyzedCase> after;
};

struct PairedCases {
  std::vector<CasePair> pairs;       // in reading order of the side before, then those of the side after alone
  std::vector<std::string> changes;  // what differs by choice or by version: "engine pytorch → fast"
  std::vector<std::string> crossed;  // what makes the sides not comparable: "precision fp32 → bf16"
};

/// The cases that fulfil all filters, in reading order. Throws Error(kBadInput) for an unknown setting, a value that no
/// case has, and a run without cases.
std::vector<const CaseRecord*> chosen_cases(const RunSelection& side);

/// Whether the setting may be taken to follow from another one, such as an engine's own: not one that decides how much
/// of the machine is used.
bool may_follow(std::string_view setting);

/// Whether cases that differ in the setting answer different questions: of the workload, the scenario, the precision.
bool is_crossing(const SettingTerm& term);

/// Across which settings cases are a pair.
enum class PairAcross {
  kNamed,         // those of the filters
  kSingleValues,  // also those of which each side has one value: runs that were not planned for each other
};

/// Cases are a pair if they differ in the settings of `across` alone, and in what follows from them; where both sides
/// are filtered by `arm`, that is kSingleValues. Borrows the runs. Throws Error(kBadInput) for
/// a filter that no case of its side fulfils, where the filters leave several cases of a side alike, and for a pair
/// that is one case.
PairedCases pair_cases(const RunSelection& before, const RunSelection& after, PairAcross across = PairAcross::kNamed);

}  // namespace transformeter
