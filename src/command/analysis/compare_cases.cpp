// Quads where the cases were measured side by side, else Welch (1947) on logarithms of their replicates.
#include "analysis/compare_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/level.h"
#include "schema/settings.h"
#include "stats/paired.h"

namespace transformeter {
namespace {

std::string why_no_time(const AnalyzedCase& one) {
  if (one.analysis.verdict.level == VerdictLevel::kInvalid) return why_doubted(one);
  const MetricRow* row = headline_time(one);
  return row == nullptr || !row->value || !(*row->value > 0) ? fmt::format("{} has no time", one.label) : "";
}

// What disturbs both cases of a quad alike, or belongs to one case's own interval, widens the interval over quads and
// is no reason to doubt it.
constexpr std::array<std::string_view, 9> kHeldByQuads{"single_window", "not_converged", "drift",
                                                       "throttled",     "foreign_load",  "preempted",
                                                       "stolen",        "major_faults",  "clock_unstable"};

bool is_held_by_quads(const Finding& reason) {
  return std::find(kHeldByQuads.begin(), kHeldByQuads.end(), reason.name) != kHeldByQuads.end();
}

std::string why_doubted(const AnalyzedCase& one, ComparedBy by) {
  const std::vector<Finding>& reasons = one.analysis.verdict.reasons;
  const bool is_held = by != ComparedBy::kReplicates && std::all_of(reasons.begin(), reasons.end(), &is_held_by_quads);
  return is_held ? "" : why_doubted(one);
}

std::string why_no_quads(std::size_t quads) {
  return fmt::format(
      "{} of the {} pairs of slices that a comparison needs (--baseline asks for them, a longer --time-budget or "
      "--time-limit makes room)",
      quads, kFewestPairs);
}

// The settings of the workload as the user knows them, then what the worker says of it.
std::string difference_of(const Json& baseline, const Json& candidate) {
  constexpr std::size_t kMaxNamed = 3;
  const Json from = baseline.flatten();
  const Json to = candidate.flatten();
  std::set<std::string> names;
  for (const Json* one : {&from, &to}) {
    for (const auto& [name, value] : one->items()) names.insert(name);
  }
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const Json was = from.value(name, Json());
    const Json is = to.value(name, Json());
    if (was == is || parts.size() == kMaxNamed) continue;
    const auto text = [](const Json& value) { return value.is_null() ? std::string("none") : setting_text(value); };
    parts.push_back(
        fmt::format("{} {} vs. {}", name.substr(std::min<std::size_t>(1, name.size())), text(was), text(is)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json requested_workload(const CaseRecord& one) {
  Json settings = Json::object();
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (term.group != SettingGroup::kWorkload || !one.requested.is_object() || !one.requested.contains(name)) continue;
    settings[name] = one.requested.at(name);
  }
  return settings;
}

Json reported_workload(const CaseRecord& one) {
  Json reported = Json::object();
  for (const char* name : {"workload", "cycle_examples"}) {
    if (one.effective.is_object() && one.effective.contains(name)) reported[name] = one.effective.at(name);
  }
  return reported;
}

// "the workloads differ: batch_size 1 vs. 8"; empty for equal workload keys.
std::string workload_difference(const CaseRecord& baseline, const CaseRecord& candidate) {
  if (!baseline.workload_key.empty() && baseline.workload_key == candidate.workload_key) return "";
  std::string difference = difference_of(requested_workload(baseline), requested_workload(candidate));
  if (difference.empty()) difference = difference_of(reported_workload(baseline), reported_workload(candidate));
  return difference.empty() ? "the workloads differ" : "the workloads differ: " + difference;
}

}  // namespace

std::string doubt_text(const AnalyzedCase& one) {
  const Verdict& verdict = one.analysis.verdict;
  if (verdict.level == VerdictLevel::kValid) return "";
  std::vector<std::string> words;
  for (const Finding& reason : verdict.reasons) words.push_back(reason.name);
  return fmt::format("{} ({})", name_of(verdict.level), fmt::join(words, ", "));
}

std::string why_doubted(const AnalyzedCase& one) {
  const std::string doubt = doubt_text(one);
  return doubt.empty() ? "" : fmt::format("{} is {}", one.label, doubt);
}

Quotient quotient_of(const MetricRow& baseline, const MetricRow& candidate) {
  Quotient quotient = quotient_of(level_from_interval(baseline), level_from_interval(candidate));
  quotient.value = *baseline.value / *candidate.value;
  quotient.low = std::min(quotient.low, quotient.value);
  quotient.high = std::max(quotient.high, quotient.value);
  return quotient;
}

std::string why_no_quotient(const MetricRow* row, const AnalyzedCase& one, std::string_view what) {
  if (row == nullptr || !row->value || !(*row->value > 0)) return fmt::format("{} has no {}", one.label, what);
  if (row->interval == IntervalKind::kBetweenReplicates && row->n >= kMinReplicatesToCompare && row->low && row->high) {
    return "";
  }
  const std::vector<ReplicateRecord>& replicates = one.record->replicates;
  const auto measured = static_cast<std::size_t>(std::count_if(
      replicates.begin(), replicates.end(), [](const ReplicateRecord& each) { return each.status == Status::kOk; }));
  if (measured >= kMinReplicatesToCompare && !row->low) {
    return fmt::format("the {} of {} has no interval over replicates", what, one.label);
  }
  if (measured >= kMinReplicatesToCompare) {
    return fmt::format("fewer than {} of the {} replicates of {} have a {}", kMinReplicatesToCompare, measured,
                       one.label, what);
  }
  return fmt::format(
      "a comparison needs at least {0} replicates of each case (--replicates {0}; if time ran out, a longer "
      "--time-budget)",
      kMinReplicatesToCompare);
}

std::string why_no_pair(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (!one->is_ok()) return why_not_ok(*one);
  }
  return workload_difference(*baseline.record, *candidate.record);
}

namespace {

bool is_over_replicates(const MetricRow& row) {
  return row.interval == IntervalKind::kBetweenReplicates;
}

// Fewer processes than the first look needs: the time was over, which is one look.
void set_live_quotient(SpeedComparison& comparison, const std::vector<Quad>& quads) {
  comparison.by = ComparedBy::kProcesses;
  comparison.n = process_count(quads);
  if (comparison.n < kFewestPairs) {
    comparison.speed_up = quotient_over_processes(quads);
  } else {
    comparison.n = last_paired_look(comparison.n);
    comparison.speed_up = quotient_over_live_processes(quads);
    comparison.level = kPairedLevel;
  }
  if (!comparison.speed_up) {
    comparison.reason = fmt::format(
        "{} of at least 3 pairs of processes were measured side by side; a longer --time-budget measures "
        "more, unless two workers do not fit into memory together",
        comparison.n);
  }
}

// Both rows are there. Only three processes of each hold what differs between processes; where they were measured side
// by side, their quads are compared process by process.
void set_quotient(SpeedComparison& comparison, const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  const MetricRow& from = *headline_time(baseline);
  const MetricRow& to = *headline_time(candidate);
  const std::vector<Quad> quads = quads_of(baseline.analysis.slices, candidate.analysis.slices);
  // Of two live comparisons none was beside the other: those are compared as other runs are, and have no slices here.
  const bool are_of_one = !baseline.analysis.slices.empty() && !candidate.analysis.slices.empty();
  if (are_of_one && is_live(baseline.record->requested) && is_live(candidate.record->requested)) {
    return set_live_quotient(comparison, quads);
  }
  comparison.speed_up = quotient_over_processes(quads);
  if (comparison.speed_up || (!quads.empty() && !(is_over_replicates(from) && is_over_replicates(to)))) {
    comparison.by = ComparedBy::kQuads;
    comparison.n = process_count(quads);
    if (!comparison.speed_up) {
      comparison.n = last_paired_look(quads.size());
      comparison.speed_up = quotient_over_quads(quads);
      comparison.level = kPairedLevel;
    }
    if (!comparison.speed_up) comparison.reason = why_no_quads(quads.size());
    return;
  }
  comparison.n = std::min(from.n, to.n);
  comparison.reason = why_no_quotient(&from, baseline, "time");
  if (comparison.reason.empty()) comparison.reason = why_no_quotient(&to, candidate, "time");
  if (comparison.reason.empty()) comparison.speed_up = quotient_of(from, to);
}

}  // namespace

std::string_view name_of(ComparedBy by) {
  switch (by) {
    case ComparedBy::kQuads:
      return "quads";
    case ComparedBy::kProcesses:
      return "processes";
    case ComparedBy::kReplicates:
      break;
  }
  return "replicates";
}

SpeedComparison compare_times(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  SpeedComparison comparison;
  comparison.reason = why_no_pair(baseline, candidate);
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (comparison.reason.empty()) comparison.reason = why_no_time(*one);
  }
  if (!comparison.reason.empty()) return comparison;
  if (headline_time(baseline)->name != headline_time(candidate)->name) {
    comparison.reason = "their times are different metrics";
    return comparison;
  }
  set_quotient(comparison, baseline, candidate);
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (!comparison.reason.empty()) continue;
    comparison.reason = why_doubted(*one, comparison.by);
    comparison.is_doubted = !comparison.reason.empty();
  }
  if (!comparison.reason.empty()) return comparison;
  comparison.answer = answer_of(*comparison.speed_up);
  if (comparison.answer == SpeedAnswer::kUndecided) {
    comparison.reason = "the interval is too wide to tell";
    return comparison;
  }
  for (const AnalyzedCase* one : {&baseline, &candidate}) {
    if (std::string doubt = why_doubted(*one); !doubt.empty()) comparison.tolerated_doubts.push_back(std::move(doubt));
  }
  return comparison;
}

}  // namespace transformeter
