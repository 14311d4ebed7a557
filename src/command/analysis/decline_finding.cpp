// Throughput that falls beyond the best batch, and what of the figures explains the fall.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/training_findings.h"
#include "base/units.h"
#include "metrics/train_metrics.h"

namespace transformeter {
namespace {

constexpr std::string_view kPattern = "decline";
// Words of a verdict that slow a case down without any doing of its batch size.
constexpr std::array<std::string_view, 7> kDisturbances{"throttled", "foreign_load",   "preempted",   "stolen",
                                                        "drift",     "clock_unstable", "major_faults"};

// A fall from best to worse that is being explained; causes are added as there is evidence.
class Causes {
 public:
  Causes(const TrainingSeries& series, const TrainingPoint& best, const TrainingPoint& worse, TrainingFinding& finding)
      : series_(series), best_(best), worse_(worse), finding_(finding) {}

  std::vector<std::string> found() {
    padding();
    phases();
    page_faults();
    memory();
    disturbances();
    return causes_;
  }

 private:
  // Useful rate = processed rate × (1 − padding): the part of the fall's logarithm that is the second factor's.
  void padding() {
    if (series_.rate != "throughput_useful_tokens") return;
    const auto before = measured_figure(*best_.the_case, "padding_share");
    const auto after = measured_figure(*worse_.the_case, "padding_share");
    if (!before || !after || !(after->value > before->value) || !(after->value < 1)) return;
    const double fall = std::log(worse_.throughput.value / best_.throughput.value);
    const double part = std::log((1 - after->value) / (1 - before->value)) / fall;
    if (part < kCauseShare) return;
    finding_.figures.push_back(*before);
    finding_.figures.push_back(*after);
    finding_.figures.push_back({"part_of_fall_by_padding", "ratio", part, std::nullopt, ""});
    causes_.push_back(fmt::format("padding grows from {} to {} of the processed tokens, which explains {} of the drop",
                                  percent_text(before->value), percent_text(after->value), percent_text(part)));
  }

  // The phase that takes most of the time that an example takes longer. By examples, since throughput of useful tokens
  // is theirs; by processed tokens where padding is told apart.
  void phases() {
    const double before_size = best_.size;
    const double after_size = worse_.size;
    const double extra = worse_.step_time.value / after_size - best_.step_time.value / before_size;
    if (!(extra > 0)) return;
    for (const std::string_view phase : kStepPhases) {
      const auto before = measured_figure(*best_.the_case, phase);
      const auto after = measured_figure(*worse_.the_case, phase);
      if (!before || !after) continue;
      const double part = (after->value / after_size - before->value / before_size) / extra;
      const bool is_certain = before->interval && after->interval &&
                              after->interval->low / after_size > before->interval->high / before_size;
      if (part < kCauseShare || !is_certain) continue;
      finding_.figures.push_back(*before);
      finding_.figures.push_back(*after);
      finding_.figures.push_back({fmt::format("part_of_extra_time_by_{}", phase), "ratio", part, std::nullopt, ""});
      causes_.push_back(fmt::format("{} grows faster than the batch, from {} to {} per {}: {} of the extra time", phase,
                                    format_duration(before->value / before_size),
                                    format_duration(after->value / after_size), series_.size_unit, percent_text(part)));
    }
  }

  void page_faults() {
    const auto before = measured_figure(*best_.the_case, "page_faults");
    const auto after = measured_figure(*worse_.the_case, "page_faults");
    if (!before || !after || after->value < kManyPageFaults) return;
    if (after->value / worse_.examples < kPageFaultGrowth * before->value / best_.examples) return;
    finding_.figures.push_back(*before);
    finding_.figures.push_back(*after);
    causes_.push_back(fmt::format("page faults grow from {} to {} per step, more than {}-fold per example",
                                  format_number(before->value), format_number(after->value),
                                  plain_number(kPageFaultGrowth)));
  }

  void memory() {
    const auto use = memory_use(worse_);
    if (!use || use->is_upper_bound || use->share() < kMemoryShare) return;
    finding_.figures.push_back(use->peak);
    causes_.push_back(memory_use_text(*use));
  }

  void disturbances() {
    for (const Finding& reason : worse_.the_case->analysis.verdict.reasons) {
      if (std::find(kDisturbances.begin(), kDisturbances.end(), reason.name) == kDisturbances.end()) continue;
      causes_.push_back(fmt::format("the case was disturbed ({}{}{})", reason.name, reason.detail.empty() ? "" : ": ",
                                    reason.detail));
    }
  }

  const TrainingSeries& series_;
  const TrainingPoint& best_;
  const TrainingPoint& worse_;
  TrainingFinding& finding_;
  std::vector<std::string> causes_;
};

Advice keep_to(const TrainingPoint& best, const TrainingPoint& worse, const std::string& rate) {
  const EvidenceFigure gain = quotient_figure("throughput", best.throughput, worse.throughput);
  EvidenceFigure times = gain;
  times.unit.clear();
  return {fmt::format("use {} instead of {}: {} times the throughput, as measured", batch_text(best.batch_size),
                      plain_number(worse.batch_size), figure_text(times)),
          PredictedGain{rate, gain.value, gain.interval,
                        fmt::format("{} ÷ {}", figure_text(best.throughput), figure_text(worse.throughput)), false}};
}

}  // namespace

TrainingFinding decline_finding(const TrainingSeries& series) {
  const std::vector<TrainingPoint>& points = series.points;
  if (points.size() < 2) {
    return not_determined(kPattern, fmt::format("at least 2 batch sizes are needed; {} can be used", points.size()));
  }
  TrainingFinding finding = not_determined(kPattern, "");
  const TrainingPoint& best = fastest_point(series);
  const auto place = points.begin() + (&best - points.data());
  for (auto point = place; point != points.end(); ++point) {
    finding.cases.push_back(point->the_case->record->id);
    finding.figures.push_back(point->throughput);
    if (!point->throughput.interval) {
      finding.reason = fmt::format("the throughput of {} has no interval", point->the_case->record->id);
    }
  }
  if (place + 1 == points.end()) {
    finding.reason.clear();
    finding.state = FindingState::kAbsent;
    finding.statement = fmt::format("the largest batch measured is the fastest: {}", at_batch(best));
    return finding;
  }
  if (!finding.reason.empty()) return finding;
  // The largest batch that is clearly slower: where it ends tells more than where it begins.
  const auto worse =
      std::find_if(points.rbegin(), points.rend() - (place - points.begin()) - 1,
                   [&](const TrainingPoint& point) { return is_clearly_less(point.throughput, best.throughput); });
  const bool is_found = worse != points.rend() - (place - points.begin()) - 1;
  if (!is_found) {
    const bool all_near = std::all_of(place + 1, points.end(), [&](const TrainingPoint& point) {
      return must_be_within(point.throughput, best.throughput, kSaturationShare);
    });
    if (!all_near) {
      finding.reason = fmt::format("beyond the fastest batch ({}) the intervals overlap: {}", at_batch(best),
                                   at_batch(points.back()));
      return finding;
    }
    finding.state = FindingState::kAbsent;
    finding.statement = fmt::format("beyond the fastest batch ({}) throughput stays within {}: {}", at_batch(best),
                                    percent_text(kSaturationShare), at_batch(points.back()));
    return finding;
  }
  finding.state = FindingState::kPresent;
  const std::vector<std::string> causes = Causes(series, best, *worse, finding).found();
  finding.statement =
      fmt::format("throughput drops from {} to {}; {}", at_batch(best), at_batch(*worse),
                  causes.empty() ? "no measurement explains it" : fmt::format("cause: {}", fmt::join(causes, "; ")));
  finding.advice.push_back(keep_to(best, *worse, series.rate));
  return finding;
}

}  // namespace transformeter
