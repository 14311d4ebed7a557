// Lowest latency, highest throughput, then what each engine setting and the batch size do.
#include "report/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/case_label.h"
#include "analysis/compare_cases.h"
#include "report/case_columns.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

// Pairs listed before the report refers to its table.
constexpr std::size_t kMostComparisons = 12;

bool is_usable(const AnalyzedCase& one) {
  return one.is_ok() && one.analysis.verdict.level != VerdictLevel::kInvalid;
}

const MetricRow* usable_row(const AnalyzedCase& one, const char* metric) {
  if (!is_usable(one)) return nullptr;
  const MetricRow* row =
      one.is_ok() && std::string_view(metric) == "latency" ? headline_time(one) : shown_metric(one, metric);
  return row != nullptr && row->name == metric && row->value && std::isfinite(*row->value) ? row : nullptr;
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
  if (!row.low || !row.high) return fmt::format("no interval: {}", row.reason.empty() ? "none was given" : row.reason);
  return fmt::format("95 % interval {} to {}, {}", quantity_text(*row.low, row.unit),
                     quantity_text(*row.high, row.unit), name_of(row.interval));
}

void add_extreme(std::vector<std::string>& sentences, const AnalyzedRun& run, const char* metric, bool highest,
                 const char* opening) {
  const Extreme extreme = extreme_of(run, metric, highest);
  if (extreme.one == nullptr) return;
  std::string sentence =
      fmt::format("{}: {} at {} ({}).", opening, quantity_text(*extreme.row->value, extreme.row->unit),
                  extreme.one->label, interval_words(*extreme.row));
  if (!extreme.overlapping.empty()) {
    sentence += fmt::format(" The interval meets that of {}.", fmt::join(extreme.overlapping, "; "));
  }
  if (extreme.one->analysis.verdict.level == VerdictLevel::kDoubtful) sentence += " Its verdict is doubtful.";
  sentences.push_back(std::move(sentence));
}

// Equal in every requested setting but one.
bool differ_only_in(const CaseRecord& left, const CaseRecord& right, const std::string& setting) {
  Json a = left.requested;
  Json b = right.requested;
  if (!a.is_object() || !b.is_object() || a.value(setting, Json()) == b.value(setting, Json())) return false;
  a.erase(setting);
  b.erase(setting);
  return a == b;
}

std::string comparison_sentence(const AnalyzedCase& baseline, const AnalyzedCase& candidate,
                                const std::string& setting) {
  const SpeedComparison comparison = compare_times(baseline, candidate);
  std::string sentence =
      fmt::format("{} {} against {} ({}): {} against {}", setting, setting_value_text(*candidate.record, setting),
                  setting_value_text(*baseline.record, setting), candidate.label, value_text(headline_time(candidate)),
                  value_text(headline_time(baseline)));
  if (comparison.speed_up) {
    sentence += fmt::format("; speed-up {:.3f} (95 % interval {:.3f} to {:.3f})", *comparison.speed_up, *comparison.low,
                            *comparison.high);
  }
  sentence += fmt::format("; {}", name_of(comparison.answer));
  if (!comparison.reason.empty()) sentence += fmt::format(": {}", comparison.reason);
  return sentence + ".";
}

// The first value of the setting, in the order of the plan, is the baseline.
void add_comparisons(std::vector<std::string>& sentences, const AnalyzedRun& run, const std::string& setting) {
  std::size_t left_out = 0;
  std::size_t listed = 0;
  for (const AnalyzedCase& baseline : run.cases) {
    const bool is_first = std::none_of(run.cases.begin(), run.cases.end(), [&](const AnalyzedCase& other) {
      return other.record->position < baseline.record->position &&
             differ_only_in(*other.record, *baseline.record, setting);
    });
    if (!is_first || !baseline.is_ok()) continue;
    for (const AnalyzedCase& candidate : run.cases) {
      if (!candidate.is_ok() || !differ_only_in(*baseline.record, *candidate.record, setting)) continue;
      if (listed++ < kMostComparisons) {
        sentences.push_back(comparison_sentence(baseline, candidate, setting));
      } else {
        ++left_out;
      }
    }
  }
  if (left_out > 0)
    sentences.push_back(fmt::format("{} more pairs differ in {} only; see the table.", left_out, setting));
}

// Of natural lengths, the number of texts in the measured cycle: rates over different texts are not set side by side.
Json measured_texts(const AnalyzedCase& one) {
  const Json& effective = one.record->effective;
  if (!effective.is_object() || effective.value("cycle_batches_full", Json(1)) == 1) return Json();
  return effective.value("cycle_examples", Json());
}

// Batches of different sizes are different workloads, so this only describes.
void add_batch_sizes(std::vector<std::string>& sentences, const AnalyzedRun& run) {
  std::vector<const AnalyzedCase*> told;
  for (const AnalyzedCase& first : run.cases) {
    if (std::find(told.begin(), told.end(), &first) != told.end() || !usable_row(first, "throughput_samples")) continue;
    std::vector<std::string> parts;
    for (const AnalyzedCase& one : run.cases) {
      const MetricRow* row = usable_row(one, "throughput_samples");
      if (row == nullptr || measured_texts(one) != measured_texts(first)) continue;
      if (&one != &first && !differ_only_in(*first.record, *one.record, "batch_size")) continue;
      told.push_back(&one);
      parts.push_back(fmt::format("{} at batch {}", value_text(row), setting_value_text(*one.record, "batch_size")));
    }
    if (parts.size() < 2) continue;
    std::vector<std::string> others = run.axes;
    std::erase(others, "batch_size");
    const std::string where = others.empty() ? "" : fmt::format(" ({})", short_label(*first.record, others));
    sentences.push_back(fmt::format("Samples by batch size{}: {}.", where, fmt::join(parts, ", ")));
  }
}

bool is_engine_setting(const std::string& name) {
  return setting_term(name).group == SettingGroup::kEngine;
}

}  // namespace

std::vector<std::string> answers(const AnalyzedRun& run) {
  std::vector<std::string> sentences;
  add_extreme(sentences, run, "latency", false, "Lowest median latency measured");
  add_extreme(sentences, run, "throughput_samples", true, "Highest throughput measured, in samples");
  add_extreme(sentences, run, "throughput_useful_tokens", true, "Highest throughput measured, in useful tokens");
  for (const std::string& axis : run.axes) {
    if (is_engine_setting(axis)) add_comparisons(sentences, run, axis);
  }
  add_batch_sizes(sentences, run);
  if (sentences.empty()) sentences.emplace_back("No case of this run has a usable measurement.");
  return sentences;
}

}  // namespace transformeter
