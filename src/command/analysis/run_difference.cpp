// Runs that share no case still differ in something: that is what a reader wants to know then.
#include "analysis/run_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/case_summary.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

// The heaviest background load of any case, in processors.
std::optional<double> heaviest_load(const std::vector<const CaseRecord*>& cases) {
  std::optional<double> heaviest;
  for (const CaseRecord* one : cases) {
    if (one->status != Status::kOk) continue;
    const CaseAnalysis analysis = analysis_of(*one, MetricRows::kHeadlines);
    const MetricRow* row = find_metric(analysis.metrics, "foreign_load", "");
    if (row != nullptr && row->value) heaviest = std::max(*row->value, heaviest.value_or(0));
  }
  return heaviest;
}

void add_load(const DifferenceSide& before, const DifferenceSide& after, std::vector<Difference>& differences) {
  const auto from = heaviest_load(before.cases);
  const auto to = heaviest_load(after.cases);
  if (!from || !to || !(std::abs(*to - *from) > kMaxForeignLoad)) return;
  const auto is_later = [](const Difference& one) { return one.cause > Cause::kLoad; };
  differences.insert(std::find_if(differences.begin(), differences.end(), is_later),
                     {Cause::kLoad, "background load", fmt::format("{:.2f} processors", *from),
                      fmt::format("{:.2f} processors", *to)});
}

std::vector<DifferencePair> pairs_of(const std::optional<RunComparison>& results) {
  std::vector<DifferencePair> pairs;
  if (!results) return pairs;
  for (const ComparedPair& pair : results->pairs) {
    if (!pair.cases.before || !pair.cases.after) continue;
    pairs.push_back({pair.cases.before->record, pair.cases.after->record, pair.cases.label});
  }
  return pairs;
}

}  // namespace

RunDifference difference_of(const RunSelection& before, const RunSelection& after) {
  if (before.run->id == after.run->id && before.filters == after.filters) {
    throw refused_value("after", after.name, fmt::format("it is run {}, as '{}' is", after.run->id, before.name),
                        "Name another run, or other cases of it: RUN:SETTING=VALUE.");
  }
  RunDifference difference{before, after, {}, std::nullopt, ""};
  const DifferenceSide from{before.run, chosen_cases(before)};
  const DifferenceSide to{after.run, chosen_cases(after)};
  try {
    difference.results = compare_runs(before, after, {}, PairAcross::kSingleValues);
    difference.results->changes.clear();  // they are among the differences
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    difference.why_no_results = error.what();
  }
  difference.differences = differences_between(from, to, pairs_of(difference.results));
  add_load(from, to, difference.differences);
  return difference;
}

}  // namespace transformeter
