// Figures and their words.
#include "analysis/training_finding.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "analysis/compare_cases.h"
#include "base/units.h"

namespace transformeter {
namespace {

std::string quantity(double value, const std::string& unit) {
  if (unit == "ratio") return percent_text(value);
  return format_quantity(value, unit);
}

}  // namespace

std::string_view name_of(FindingState state) {
  switch (state) {
    case FindingState::kPresent:
      return "present";
    case FindingState::kAbsent:
      return "absent";
    case FindingState::kNotDetermined:
      return "not_determined";
  }
  return "not_determined";
}

TrainingFinding not_determined(std::string_view pattern, std::string reason) {
  TrainingFinding finding;
  finding.pattern = pattern;
  finding.reason = std::move(reason);
  return finding;
}

std::optional<EvidenceFigure> figure_of_row(const MetricRow& row, const std::string& case_id) {
  if (!row.value || !std::isfinite(*row.value)) return std::nullopt;
  EvidenceFigure figure{row.name, row.unit, *row.value, std::nullopt, case_id};
  if (row.low && row.high) figure.interval = Interval{*row.low, *row.high};
  return figure;
}

std::optional<EvidenceFigure> measured_figure(const AnalyzedCase& the_case, std::string_view metric) {
  const MetricRow* row = shown_metric(the_case, metric);
  return row == nullptr ? std::nullopt : figure_of_row(*row, the_case.record->id);
}

EvidenceFigure quotient_figure(std::string name, const EvidenceFigure& a, const EvidenceFigure& b) {
  EvidenceFigure quotient{std::move(name), "ratio", a.value / b.value, std::nullopt, ""};
  if (a.case_id == b.case_id) quotient.case_id = a.case_id;
  if (a.interval && b.interval && b.interval->low > 0) {
    quotient.interval = Interval{a.interval->low / b.interval->high, a.interval->high / b.interval->low};
  }
  return quotient;
}

bool may_be_within(const EvidenceFigure& one, const EvidenceFigure& other, double share) {
  return !one.interval || !other.interval || one.interval->high >= (1 - share) * other.interval->low;
}

bool must_be_within(const EvidenceFigure& one, const EvidenceFigure& other, double share) {
  return one.interval && other.interval && one.interval->low >= (1 - share) * other.interval->high;
}

bool is_clearly_less(const EvidenceFigure& one, const EvidenceFigure& other) {
  return !may_be_within(one, other, 0) && one.value < (1 - kNoiseThreshold) * other.value;
}

std::string percent_text(double ratio) {
  return fmt::format("{:.1f} %", 100 * ratio);
}

std::string plain_number(double value) {
  return fmt::format("{:g}", value);
}

std::string figure_text(const EvidenceFigure& figure) {
  std::string value = quantity(figure.value, figure.unit);
  if (!figure.interval) return value;
  const std::string low = quantity(figure.interval->low, figure.unit);
  const std::string high = quantity(figure.interval->high, figure.unit);
  return low == high ? value : fmt::format("{} ({} to {})", value, low, high);
}

}  // namespace transformeter
