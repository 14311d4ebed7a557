// Lowest latency, highest throughput, then what each engine setting and the batch size do.
#include "report/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/case_label.h"
#include "analysis/compare_cases.h"
#include "analysis/scenario_parts.h"
#include "base/units.h"
#include "metrics/scenario_type.h"
#include "report/baseline_answers.h"
#include "report/comparison_columns.h"
#include "report/metric_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Pairs, and combinations of settings, listed before the report refers to its table.
constexpr std::size_t kMaxComparisons = 12;
constexpr std::size_t kMaxNamed = 6;  // cases, or batch sizes, in one sentence

const MetricRow* usable_row(const AnalyzedCase& one, const char* metric) {
  if (!one.is_usable()) return nullptr;
  const MetricRow* row = std::string_view(metric) == "latency" ? headline_time(one) : shown_metric(one, metric);
  return row != nullptr && row->name == metric && row->value && std::isfinite(*row->value) ? row : nullptr;
}

// "a; b; c and 4 more".
std::string named(const std::vector<std::string>& labels) {
  const std::size_t shown = labels.size() > kMaxNamed + 1 ? kMaxNamed : labels.size();
  std::string text =
      fmt::format("{}", fmt::join(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (shown < labels.size()) text += fmt::format(" and {} more", labels.size() - shown);
  return text;
}

struct Extreme {
  const AnalyzedCase* one = nullptr;
  const MetricRow* row = nullptr;
  std::vector<std::string> overlapping;  // labels of cases whose interval meets this one's
};

Extreme extreme_of(const AnalyzedRun& run, const char* metric, bool highest) {
  Extreme extreme;
  for (const AnalyzedCase& one : run.cases) {
    const MetricRow* row = usable_row(one, metric);
    if (row == nullptr) continue;
    const bool is_better =
        extreme.row == nullptr || (highest ? *row->value > *extreme.row->value : *row->value < *extreme.row->value);
    if (is_better) extreme = {&one, row, {}};
  }
  if (extreme.row == nullptr || !extreme.row->low || !extreme.row->high) return extreme;
  for (const AnalyzedCase& one : run.cases) {
    const MetricRow* row = usable_row(one, metric);
    if (&one == extreme.one || row == nullptr || !row->low || !row->high) continue;
    if (*row->low <= *extreme.row->high && *row->high >= *extreme.row->low) extreme.overlapping.push_back(one.label);
  }
  return extreme;
}

std::string interval_words(const MetricRow& row) {
  if (!row.low || !row.high)
    return fmt::format("no 95 % interval: {}", row.reason.empty() ? "no reason was stored" : row.reason);
  return fmt::format("95 % interval {}, {}", range_text(*row.low, *row.high, row.unit),
                     interval_kind_text(row.interval));
}

void add_extreme(std::vector<std::string>& sentences, const AnalyzedRun& run, const char* metric, bool highest,
                 const char* opening) {
  const Extreme extreme = extreme_of(run, metric, highest);
  if (extreme.one == nullptr) return;
  std::string sentence =
      fmt::format("{}: {} at {} ({}).", opening, format_quantity(*extreme.row->value, extreme.row->unit),
                  extreme.one->label, interval_words(*extreme.row));
  if (!extreme.overlapping.empty()) {
    sentence += fmt::format(" Its interval overlaps with {}.", named(extreme.overlapping));
  }
  if (extreme.one->analysis.verdict.level == VerdictLevel::kDoubtful) sentence += " The case is doubtful.";
  sentences.push_back(std::move(sentence));
}

using CaseGroup = std::vector<const AnalyzedCase*>;

// Cases equal in every requested setting but one and what follows from it, as an engine's choices follow from the
// engine; in reading order, groups by their first case.
std::vector<CaseGroup> groups_without(const AnalyzedRun& run, const std::string& setting) {
  std::vector<std::string> left_out = run.following;
  left_out.push_back(setting);
  std::vector<CaseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const AnalyzedCase& one : run.cases) {
    if (!one.record->requested.is_object()) continue;
    const auto [place, is_new] = places.emplace(key_without(one.record->requested, left_out), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&one);
  }
  return groups;
}

// A pair, or several without figures that have the reason in common: in a plan of one replicate all of them.
struct ComparedPairs {
  std::string values;  // "engine fast vs. pytorch"
  std::string where;   // of the first: " (fast fp32)"; empty where the compared value is all that cases differ in
  std::string times;   // of the first: "79.0 ms ± 2.9 % vs. 81.6 ms ± 2.4 %"
  SpeedComparison comparison;
  std::size_t count = 1;
};

void add_pair(std::vector<ComparedPairs>& all, const AnalyzedCase& baseline, const AnalyzedCase& candidate,
              const std::string& setting) {
  const SpeedComparison comparison = compare_times(baseline, candidate);
  const std::string values = fmt::format("{} {} vs. {}", setting, setting_value_text(*candidate.record, setting),
                                         setting_value_text(*baseline.record, setting));
  if (!comparison.speed_up) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const ComparedPairs& one) {
      return !one.comparison.speed_up && one.comparison.reason == comparison.reason && one.values == values;
    });
    if (same != all.end()) {
      ++same->count;
      return;
    }
  }
  const std::string times =
      fmt::format("{} vs. {}", value_text(headline_time(candidate)), value_text(headline_time(baseline)));
  const bool is_all = candidate.label == setting_value_text(*candidate.record, setting);
  all.push_back({values, is_all ? "" : fmt::format(" ({})", candidate.label), times, comparison});
}

std::string sentence_of(const ComparedPairs& pairs) {
  const SpeedComparison& comparison = pairs.comparison;
  std::string sentence = pairs.count > 1 ? fmt::format("{} ({} pairs)", pairs.values, pairs.count)
                                         : fmt::format("{}{}: {}", pairs.values, pairs.where, pairs.times);
  if (comparison.speed_up) {
    sentence += "; " + speed_up_words(*comparison.speed_up, comparison.level);
  }
  sentence += fmt::format("{} {}", pairs.count > 1 ? ":" : ";", name_of(comparison.answer));
  if (!comparison.reason.empty()) sentence += fmt::format(": {}", comparison.reason);
  for (const std::string& doubt : comparison.tolerated_doubts) sentence += fmt::format("; {}", tolerated_text(doubt));
  return sentence + ".";
}

// The first value of the setting, in the order of the plan, is the baseline.
void add_comparisons(std::vector<std::string>& sentences, const AnalyzedRun& run, const std::string& setting) {
  std::vector<ComparedPairs> all;
  for (const CaseGroup& group : groups_without(run, setting)) {
    const AnalyzedCase& baseline = **std::min_element(
        group.begin(), group.end(),
        [](const AnalyzedCase* a, const AnalyzedCase* b) { return a->record->position < b->record->position; });
    if (!baseline.is_ok()) continue;
    for (const AnalyzedCase* candidate : group) {
      if (candidate != &baseline && candidate->is_ok()) add_pair(all, baseline, *candidate, setting);
    }
  }
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < kMaxComparisons) {
      sentences.push_back(sentence_of(all[i]));
    } else {
      left_out += all[i].count;
    }
  }
  if (left_out > 0)
    sentences.push_back(fmt::format("{} more pairs that differ only in {}: see the table.", left_out, setting));
}

// Of natural lengths, the number of texts in the measured cycle: rates over different texts are not set side by side.
Json measured_texts(const AnalyzedCase& one) {
  const Json& effective = one.record->effective;
  if (!effective.is_object() || effective.value("cycle_batches_full", Json(1)) == 1) return Json();
  return effective.value("cycle_examples", Json());
}

// Batches of different sizes are different workloads, so this only describes.
void add_batch_sizes(std::vector<std::string>& sentences, const AnalyzedRun& run) {
  std::size_t left_out = 0;
  std::size_t listed = 0;
  for (const CaseGroup& group : groups_without(run, "batch_size")) {
    std::vector<std::string> parts;
    for (const AnalyzedCase* one : group) {
      const MetricRow* row = usable_row(*one, "throughput_samples");
      if (row == nullptr || measured_texts(*one) != measured_texts(*group.front())) continue;
      parts.push_back(fmt::format("{} at batch {}", value_text(row), setting_value_text(*one->record, "batch_size")));
    }
    if (parts.size() < 2) continue;
    if (listed++ >= kMaxComparisons) {
      ++left_out;
      continue;
    }
    std::vector<std::string> others = run.axes;
    std::erase(others, "batch_size");
    const std::string where = others.empty() ? "" : fmt::format(" ({})", short_label(*group.front()->record, others));
    if (parts.size() > kMaxNamed + 1) {
      const std::size_t more = parts.size() - kMaxNamed;
      parts.resize(kMaxNamed);
      parts.push_back(fmt::format("{} more in the table", more));
    }
    sentences.push_back(fmt::format("Throughput by batch size{}: {}.", where, fmt::join(parts, ", ")));
  }
  if (left_out > 0) {
    sentences.push_back(fmt::format("{} more combinations with several batch sizes: see the table.", left_out));
  }
}

bool is_engine_setting(const std::string& name) {
  return setting_term(name).group == SettingGroup::kEngine;
}

}  // namespace

BestCase best_case(const AnalyzedRun& run, const char* metric, bool highest) {
  const Extreme extreme = extreme_of(run, metric, highest);
  return {extreme.one, extreme.row};
}

std::vector<std::string> answers(const AnalyzedRun& run) {
  std::vector<std::string> sentences = baseline_answers(run);
  for (const ScenarioPart& part : by_scenario(run)) {
    for (const ScenarioAnswer& answer : scenario_type(part.scenario).answers) {
      add_extreme(sentences, part.run, answer.metric, answer.is_highest, answer.words);
    }
  }
  for (const std::string& axis : run.axes) {
    if (!run.baseline && is_engine_setting(axis)) add_comparisons(sentences, run, axis);
  }
  add_batch_sizes(sentences, run);
  if (sentences.empty()) sentences.emplace_back("No case in this run has a usable measurement.");
  return sentences;
}

}  // namespace transformeter
