// Where all took as many steps, the stored summaries say it; else the losses are looked at again.
#include "analysis/candidate_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare_cases.h"
#include "analysis/step_columns.h"
#include "metrics/train_metrics.h"

namespace transformeter {
namespace {

bool is_of_losses(std::string_view metric) {
  return metric == "loss" || metric == kConvergenceRate;
}

std::string_view metric_of(std::string_view criterion) {
  return criterion == kConvergencePerSecond ? kConvergenceRate : criterion;
}

}  // namespace

CandidateFigures::CandidateFigures(const std::vector<const Candidate*>& cases) {
  std::vector<const CaseRecord*> records;
  for (const Candidate* one : cases) {
    if (one->why_unusable.empty()) records.push_back(one->the_case->record);
  }
  const auto all = step_counts(records);
  if (!all || all->fewest == all->most) return;
  first_steps_ = all->fewest;
  for (const Candidate* one : cases) {
    const CaseRecord& record = *one->the_case->record;
    if (one->why_unusable.empty()) losses_[one] = loss_metrics(finished_replicates(record), *first_steps_);
  }
}

std::optional<MetricRow> CandidateFigures::row(const Candidate& one, std::string_view metric) const {
  if (is_of_losses(metric)) {
    if (!step_counts(*one.the_case->record)) return std::nullopt;
    if (first_steps_) return *find_metric(losses_.at(&one), metric, "");
  }
  const MetricRow* shown = shown_metric(*one.the_case, metric);
  return shown == nullptr ? std::nullopt : std::optional(*shown);
}

std::optional<EvidenceFigure> CandidateFigures::measured(const Candidate& one, std::string_view metric) const {
  const auto found = row(one, metric);
  return found ? figure_of_row(*found, one.id) : std::nullopt;
}

// Nothing where the case lacks a figure. A rate of learning may be negative: its lowest quotient is then that of the
// shortest step.
std::optional<EvidenceFigure> CandidateFigures::rate_per_second(const Candidate& one) const {
  const auto rate = measured(one, kConvergenceRate);
  const auto step = measured(one, "latency");
  if (!rate || !step || !(step->value > 0)) return std::nullopt;
  EvidenceFigure figure{std::string(kConvergencePerSecond), "1/s", rate->value / step->value, std::nullopt, one.id};
  if (rate->interval && step->interval && step->interval->low > 0) {
    const auto quotient = [&](double part, double if_positive, double if_negative) {
      return part / (part > 0 ? if_positive : if_negative);
    };
    figure.interval = Interval{quotient(rate->interval->low, step->interval->high, step->interval->low),
                               quotient(rate->interval->high, step->interval->low, step->interval->high)};
  }
  return figure;
}

std::optional<EvidenceFigure> CandidateFigures::figure(const Candidate& one, std::string_view criterion) const {
  if (!one.why_unusable.empty()) return std::nullopt;
  return criterion == kConvergencePerSecond ? rate_per_second(one) : measured(one, criterion);
}

std::string CandidateFigures::why_none(const Candidate& one, std::string_view criterion) const {
  if (!one.why_unusable.empty()) return one.why_unusable;
  const std::string_view metric = metric_of(criterion);
  const MetricRow* shown = shown_metric(*one.the_case, metric);
  if (shown != nullptr && shown->value && is_of_losses(metric) && !step_counts(*one.the_case->record)) {
    return fmt::format("no {} over the same steps as the other cases: its losses are not stored", metric);
  }
  const auto found = row(one, metric);
  const std::string over = is_of_losses(metric) && first_steps_ ? fmt::format(" over {} steps", *first_steps_) : "";
  return !found || found->reason.empty() ? fmt::format("no {}{}", criterion, over)
                                         : fmt::format("no {}{}: {}", criterion, over, found->reason);
}

bool CandidateFigures::is_between_replicates(const Candidate& one, std::string_view criterion) const {
  const auto found = row(one, metric_of(criterion));
  return found && found->interval == IntervalKind::kBetweenReplicates && found->n >= kMinReplicatesToCompare;
}

}  // namespace transformeter
