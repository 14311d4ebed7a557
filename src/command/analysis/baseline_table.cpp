// Groups first, then pairs. Time is compared by compare_times, memory here.
#include "analysis/baseline_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/case_label.h"
#include "analysis/results.h"
#include "metrics/case_settings.h"
#include "schema/baseline.h"
#include "schema/metric_names.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Which metric each kind of memory saved is of.
struct MemorySaved {
  const char* name;
  const char* metric;
};
constexpr std::array kMemorySaved{MemorySaved{"memory_saved", "peak_rss_above_baseline"},
                                  MemorySaved{"anonymous_memory_saved", "peak_anonymous"},
                                  MemorySaved{"tensor_memory_saved", "peak_allocated"}};

// Whether the plan gives the setting several values; precision=auto is one that becomes several.
bool is_planned_axis(const AnalyzedRun& run, const std::string& setting) {
  const Json::json_pointer place("/" + setting + "/values");
  const Json& settings = run.run->settings;
  if (!settings.is_object() || !settings.contains(place)) return false;
  const Json& values = settings.at(place);
  return values.size() > 1 || (setting == "precision" && values == Json::array({"auto"}));
}

// bucket_window is a setting of bucketed batching alone: padded cases have none.
bool has_setting(const AnalyzedRun& run, const Json& baseline, const std::string& setting) {
  return std::any_of(run.cases.begin(), run.cases.end(), [&](const AnalyzedCase& one) {
    return fulfils(one.record->requested, baseline) && one.record->requested.contains(setting);
  });
}

// The settings of the baseline, and those that come with them: one value in the plan, and yet they differ.
std::vector<std::string> arm_settings(const AnalyzedRun& run, const Json& baseline) {
  std::vector<std::string> arm;
  for (const auto& [name, value] : baseline.items()) arm.push_back(name);
  const std::set<std::string> named(arm.begin(), arm.end());
  for (const std::string& axis : differing_settings(run.run->cases)) {
    if (named.count(axis) > 0 || setting_term(axis).group == SettingGroup::kWorkload) continue;
    if (!is_planned_axis(run, axis) || !has_setting(run, baseline, axis)) arm.push_back(axis);
  }
  return arm;
}

MetricRow comparison_row(std::string_view name, std::size_t n) {
  const MetricTerm& term = comparison_term(name);
  MetricRow row;
  row.name = term.name;
  row.unit = term.unit;
  row.statistic = "ratio";
  row.n = n;
  return row;
}

void set_values(MetricRow& row, const Quotient& values, IntervalKind interval) {
  row.value = values.value;
  row.low = values.low;
  row.high = values.high;
  row.interval = interval;
  row.provenance = "derived";
}

// 1 − candidate ÷ baseline: grows with the quotient, so that the ends keep their order.
Quotient saved(const Quotient& quotient) {
  return {1 - 1 / quotient.value, 1 - 1 / quotient.low, 1 - 1 / quotient.high};
}

// Each row of both cases that the quotient was made from has at least three replicates.
std::size_t fewer_replicates(const MetricRow& one, const MetricRow& other) {
  return std::min(one.n, other.n);
}

void add_times(BaselinePair& pair) {
  pair.speed = compare_times(*pair.baseline, *pair.candidate);
  const SpeedComparison& comparison = pair.speed;
  const IntervalKind interval =
      comparison.by != ComparedBy::kReplicates ? IntervalKind::kBetweenQuads : IntervalKind::kBetweenReplicates;
  for (const char* name : {"speed_up", "time_saved"}) {
    MetricRow& row = pair.rows.emplace_back(comparison_row(name, comparison.n));
    if (comparison.speed_up) {
      set_values(row, row.name == "speed_up" ? *comparison.speed_up : saved(*comparison.speed_up), interval);
    } else {
      row.reason = comparison.reason;
    }
  }
}

bool has_one_worker(const CaseRecord& one) {
  return std::all_of(one.replicates.begin(), one.replicates.end(),
                     [](const ReplicateRecord& replicate) { return replicate.ranks == 1; });
}

std::string why_invalid(const AnalyzedCase& one) {
  return one.analysis.verdict.level == VerdictLevel::kInvalid ? why_doubted(one) : "";
}

// A checkpoint's weights are used directly from the mapped file, and not counted, unless they have another type or
// layout, or are joined into one product. Training always copies them.
bool may_map_weights(const CaseRecord& one) {
  return flag_of_path(one.effective, {"model", "trained"}).value_or(false) && !is_train(one.requested) &&
         text_of_path(one.effective, {"device"}).value_or("cpu") == "cpu";
}

std::string why_other_tensors(const AnalyzedCase& baseline, const AnalyzedCase& candidate) {
  const CaseRecord& from = *baseline.record;
  const CaseRecord& to = *candidate.record;
  if (!may_map_weights(from) && !may_map_weights(to)) return "";
  const auto is_alike = [&](const char* form) {
    return from.effective.value(form, Json()) == to.effective.value(form, Json());
  };
  const bool are_alike = may_map_weights(from) == may_map_weights(to) && is_alike("weights") && is_alike("precision") &&
                         is_alike("fusion");
  if (are_alike) return "";
  return "one side may use its weights directly from the mapped file, which tensor memory does not count; see memory "
         "saved";
}

}  // namespace

std::string why_other_memory(const AnalyzedCase& baseline, const AnalyzedCase& candidate, std::string_view metric) {
  if (!has_one_worker(*baseline.record) || !has_one_worker(*candidate.record)) {
    return "memory can only be compared for replicates with a single worker";
  }
  if (is_live(baseline.record->requested) || is_live(candidate.record->requested)) {
    return "memory is not compared in a live comparison, whose workers live side by side";
  }
  return metric == "peak_allocated" ? why_other_tensors(baseline, candidate) : "";
}

namespace {

void add_memory(BaselinePair& pair, const MemorySaved& kind) {
  std::string reason = why_no_pair(*pair.baseline, *pair.candidate);
  if (reason.empty()) reason = why_other_memory(*pair.baseline, *pair.candidate, kind.metric);
  for (const AnalyzedCase* one : {pair.baseline, pair.candidate}) {
    if (reason.empty()) reason = why_invalid(*one);
  }
  for (const AnalyzedCase* one : {pair.baseline, pair.candidate}) {
    if (reason.empty()) reason = why_no_quotient(shown_metric(*one, kind.metric), *one, kind.metric);
  }
  MetricRow& row = pair.rows.emplace_back(comparison_row(kind.name, 0));
  row.reason = reason;
  if (!reason.empty()) return;
  const MetricRow& from = *shown_metric(*pair.baseline, kind.metric);
  const MetricRow& to = *shown_metric(*pair.candidate, kind.metric);
  row.n = fewer_replicates(from, to);
  set_values(row, saved(quotient_of(from, to)), IntervalKind::kBetweenReplicates);
}

BaselinePair pair_of(const AnalyzedCase* baseline, const AnalyzedCase& candidate) {
  BaselinePair pair;
  pair.baseline = baseline;
  pair.candidate = &candidate;
  if (baseline != nullptr) {
    add_times(pair);
    for (const MemorySaved& kind : kMemorySaved) add_memory(pair, kind);
    return pair;
  }
  pair.speed.reason = "the run has no matching baseline case";
  for (const MetricTerm& term : comparison_terms()) {
    pair.rows.push_back(comparison_row(term.name, 0));
    pair.rows.back().reason = pair.speed.reason;
  }
  return pair;
}

}  // namespace

std::optional<Json> planned_baseline(const RunRecord& run) {
  const Json::json_pointer place("/baseline/values/0");
  if (!run.settings.is_object() || !run.settings.contains(place)) return std::nullopt;
  const Json& baseline = run.settings.at(place);
  return baseline.is_object() && !baseline.empty() ? std::optional(baseline) : std::nullopt;
}

std::optional<BaselineTable> baseline_table(const AnalyzedRun& run) {
  if (!run.baseline) return std::nullopt;
  BaselineTable table;
  table.baseline = *run.baseline;
  table.arm = arm_settings(run, table.baseline);
  const std::set<std::string> arm(table.arm.begin(), table.arm.end());
  std::copy_if(run.axes.begin(), run.axes.end(), std::back_inserter(table.groups),
               [&](const std::string& axis) { return arm.count(axis) == 0; });
  std::map<std::string, const AnalyzedCase*> baselines;  // by group
  for (const AnalyzedCase& one : run.cases) {
    if (fulfils(one.record->requested, table.baseline)) baselines[key_without(one.record->requested, table.arm)] = &one;
  }
  if (baselines.empty()) {
    table.note = fmt::format("no case in the run has {}", baseline_text(table.baseline));
    return table;
  }
  for (const AnalyzedCase& one : run.cases) {
    if (fulfils(one.record->requested, table.baseline)) continue;
    const auto found = baselines.find(key_without(one.record->requested, table.arm));
    table.pairs.push_back(pair_of(found == baselines.end() ? nullptr : found->second, one));
  }
  if (table.pairs.empty()) table.note = fmt::format("every case has {}", baseline_text(table.baseline));
  return table;
}

const MetricRow* find_row(const BaselinePair& pair, std::string_view name) {
  return find_metric(pair.rows, name, "");
}

Json comparison_json(const AnalyzedRun& run) {
  const std::optional<BaselineTable> table = baseline_table(run);
  if (!table) return nullptr;
  Json pairs = Json::array();
  for (const BaselinePair& pair : table->pairs) {
    Json metrics = Json::array();
    for (const MetricRow& row : pair.rows) metrics.push_back(metric_json(row));
    pairs.push_back({{"baseline_case", pair.baseline == nullptr ? Json(nullptr) : Json(pair.baseline->record->id)},
                     {"case", pair.candidate->record->id},
                     {"answer", name_of(pair.speed.answer)},
                     {"reason", pair.speed.reason.empty() ? Json(nullptr) : Json(pair.speed.reason)},
                     {"tolerated_doubts", pair.speed.tolerated_doubts},
                     {"metrics", std::move(metrics)}});
  }
  return {{"baseline", table->baseline},
          {"arm", table->arm},
          {"groups", table->groups},
          {"note", table->note.empty() ? Json(nullptr) : Json(table->note)},
          {"pairs", std::move(pairs)}};
}

}  // namespace transformeter
