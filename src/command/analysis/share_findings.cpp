// Patterns that are a share of a step, or of the tokens it works through: what waits, what updates, what is padding.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/training_findings.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "schema/case.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

struct SharePattern {
  std::string_view name;
  std::string_view what;  // "waiting for data"
  std::string_view whole = "of the step";
  double threshold = 0;
  std::string_view figure;  // "data_wait"
  bool is_exact = false;    // a ratio of counts, which needs no interval
};

FindingState state_of(const EvidenceFigure& share, const SharePattern& pattern) {
  if (pattern.is_exact) return share.value > pattern.threshold ? FindingState::kPresent : FindingState::kAbsent;
  const double low = share.interval ? share.interval->low : share.value / kMarginWithoutInterval;
  const double high = share.interval ? share.interval->high : share.value * kMarginWithoutInterval;
  if (low > pattern.threshold) return FindingState::kPresent;
  return high <= pattern.threshold ? FindingState::kAbsent : FindingState::kNotDetermined;
}

using ShareOf = std::function<std::optional<EvidenceFigure>(const TrainingPoint&)>;
using AdviceOn = std::function<std::vector<Advice>(const TrainingPoint&, const EvidenceFigure&)>;

// Present as soon as one batch size shows it; advice is for the fastest of those.
TrainingFinding share_finding(const TrainingSeries& series, const SharePattern& pattern, const ShareOf& share_of,
                              const AdviceOn& advice_on) {
  TrainingFinding finding = not_determined(pattern.name, "");
  std::vector<std::string> present;
  std::vector<std::string> open;
  std::vector<std::string> all;
  const TrainingPoint* worst = nullptr;
  std::optional<EvidenceFigure> worst_share;
  for (const TrainingPoint& point : series.points) {
    const auto share = share_of(point);
    if (!share) continue;
    finding.figures.push_back(*share);
    finding.cases.push_back(point.the_case->record->id);
    const std::string text = fmt::format("{} at {}", figure_text(*share), batch_text(point.batch_size));
    all.push_back(text);
    const FindingState state = state_of(*share, pattern);
    if (state == FindingState::kNotDetermined) open.push_back(text);
    if (state != FindingState::kPresent) continue;
    present.push_back(text);
    if (worst == nullptr || point.throughput.value > worst->throughput.value) {
      worst = &point;
      worst_share = share;
    }
  }
  const std::string threshold = percent_text(pattern.threshold);
  if (worst != nullptr) {
    finding.state = FindingState::kPresent;
    finding.statement =
        fmt::format("{} is more than {} {}: {}", pattern.what, threshold, pattern.whole, fmt::join(present, ", "));
    finding.advice = advice_on(*worst, *worst_share);
  } else if (all.empty()) {
    finding.reason =
        series.points.empty() ? "no case can be used" : fmt::format("no case has a value for {}", pattern.figure);
  } else if (!open.empty()) {
    finding.reason = fmt::format("{} may be more or less than {} {}: {}", pattern.what, threshold, pattern.whole,
                                 fmt::join(open, ", "));
  } else {
    finding.state = FindingState::kAbsent;
    finding.statement =
        fmt::format("{} is at most {} {}: {}", pattern.what, threshold, pattern.whole, fmt::join(all, ", "));
  }
  return finding;
}

// Speed once a part s of the time is down to s ÷ k: 1 ÷ (1 − s (1 − 1 ÷ k)); it rises with s.
double factor_without(double share, double kept) {
  return 1 / (1 - std::clamp(share, 0.0, 1.0) * (1 - kept));
}

PredictedGain gain_without(const EvidenceFigure& share, double kept, std::string formula) {
  PredictedGain gain{"throughput_samples", factor_without(share.value, kept), std::nullopt, std::move(formula), false};
  if (share.interval && share.interval->high < 1) {
    gain.interval = Interval{factor_without(share.interval->low, kept), factor_without(share.interval->high, kept)};
  }
  return gain;
}

// Whether the case's task is one that `batching` applies to, whose rows differ in length.
bool takes_batching(const Json& requested) {
  return task_has(requested, [](Task task) {
    Case one;
    one.scenario = Scenario::kTrain;
    one.task = task;
    return setting_term("batching").use.holds(one);
  });
}

// "use batching bucketed or packed instead of padded"; empty where no setting of the case leaves out padding.
std::string padding_remedy(const CaseRecord& record) {
  // Rows of one length are padded to it, whatever shares a batch.
  const bool has_one_length = number_of_path(record.requested, {"sequence_length"}).has_value();
  if (!takes_batching(record.requested)) return has_one_length ? "use sequence_length natural" : "";
  const std::string batching = training_setting(record, "batching");
  return fmt::format("use batching {}{}{}", batching == "bucketed" ? "packed" : "bucketed or packed",
                     has_one_length ? " and sequence_length natural" : "",
                     batching.empty() ? "" : fmt::format(" instead of {}", batching));
}

// What the case's own settings and figures leave to try.
std::string data_remedy(const TrainingPoint& point) {
  const CaseRecord& record = *point.the_case->record;
  std::vector<std::string> remedies;
  const auto threads = number_of_path(record.requested, {"loader_threads"});
  if (threads && *threads == 0) {
    remedies.emplace_back("set loader_threads to 1 or more: now each step prepares its own rows");
  } else if (threads) {
    remedies.push_back(fmt::format("measure another loader_threads besides {}: no metric tells whether that is too few",
                                   plain_number(*threads)));
  }
  const std::string batching = training_setting(record, "batching");
  const auto padding = measured_figure(*point.the_case, "padding_share");
  if (batching != "bucketed" && batching != "packed" && padding && padding->value > kPaddingShare) {
    const std::string remedy = padding_remedy(record);
    const std::string share = percent_text(padding->value);
    if (!remedy.empty()) {
      remedies.push_back(fmt::format("{}: {} of the tokens collated and copied are padding", remedy, share));
    }
  }
  if (remedies.empty()) return "no setting of the case is known to be the cause";
  return fmt::format("{}", fmt::join(remedies, "; or "));
}

std::vector<Advice> advice_on_data(const TrainingPoint& point, const EvidenceFigure& share) {
  PredictedGain gain = gain_without(share, 0, fmt::format("1 ÷ (1 − {})", percent_text(share.value)));
  gain.is_upper_bound = true;
  return {{fmt::format("{}. Without data_wait, {} would be at most {} times as fast; data_wait includes waiting for "
                       "rows, collating them and copying them to the device, which are not measured separately",
                       data_remedy(point), batch_text(point.batch_size), format_number(gain.factor)),
           gain}};
}

std::vector<Advice> advice_on_optimizer(const TrainingPoint& point, const EvidenceFigure& share) {
  const std::string k = plain_number(kPredictedAccumulation);
  const PredictedGain gain = gain_without(share, 1 / kPredictedAccumulation,
                                          fmt::format("1 ÷ (1 − {} × (1 − 1 ÷ {}))", percent_text(share.value), k));
  const bool has_pairs = has_captions(point.the_case->record->requested);
  return {
      {fmt::format(
           "use {} times the gradient accumulation at {}: {} times the examples per second, since one update covers {} "
           "times as many; no accumulation can exceed {} times. A step then trains on {} examples instead of {}{}",
           k, batch_text(point.batch_size), format_number(gain.factor), k,
           format_number(factor_without(share.value, 0)), plain_number(kPredictedAccumulation * point.examples),
           plain_number(point.examples),
           has_pairs ? ", but each pair is still compared only with the others of its own batch" : ""),
       gain}};
}

// No bound: attention takes less time for shorter rows, and fixed overhead weighs more on fewer tokens.
std::vector<Advice> advice_on_padding(const TrainingPoint& point, const EvidenceFigure& share) {
  PredictedGain gain{"throughput_useful_tokens", factor_without(share.value, 0), std::nullopt,
                     fmt::format("1 ÷ (1 − {})", percent_text(share.value)), false};
  const std::string remedy = padding_remedy(*point.the_case->record);
  if (remedy.empty()) return {};
  return {{fmt::format("{}: about {} times the useful tokens per second at {}, if it removes all padding and the time "
                       "per processed token does not change",
                       remedy, format_number(gain.factor), batch_text(point.batch_size)),
           gain}};
}

}  // namespace

std::optional<EvidenceFigure> share_of_step(const TrainingPoint& point, std::string_view phase) {
  const auto part = measured_figure(*point.the_case, phase);
  // The median, as the phase's.
  const auto step = measured_figure(*point.the_case, "latency");
  if (!part || !step || !(step->value > 0)) return std::nullopt;
  EvidenceFigure share = quotient_figure(fmt::format("{}_share", phase), *part, *step);
  if (share.interval) share.interval->high = std::min(share.interval->high, 1.0);
  return share;
}

TrainingFinding data_finding(const TrainingSeries& series) {
  return share_finding(
      series, {"data_bound", "waiting for data (including copies)", "of the step", kDataWaitShare, "data_wait"},
      [](const TrainingPoint& point) { return share_of_step(point, "data_wait"); }, advice_on_data);
}

TrainingFinding optimizer_finding(const TrainingSeries& series) {
  return share_finding(
      series, {"optimizer_bound", "the optimizer", "of the step", kOptimizerShare, "optimizer_time"},
      [](const TrainingPoint& point) { return share_of_step(point, "optimizer_time"); }, advice_on_optimizer);
}

TrainingFinding padding_finding(const TrainingSeries& series) {
  return share_finding(
      series, {"padding_bound", "padding", "of the processed tokens", kPaddingShare, "padding_share", true},
      [](const TrainingPoint& point) { return measured_figure(*point.the_case, "padding_share"); }, advice_on_padding);
}

}  // namespace transformeter
