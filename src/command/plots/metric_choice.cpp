// Metrics of the case, then comparisons, then what is computed from one of them.
#include "plots/metric_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "schema/metric_names.h"

namespace transformeter {
namespace {

bool is_among(std::span<const MetricTerm> terms, const std::string& name) {
  return std::any_of(terms.begin(), terms.end(), [&](const MetricTerm& term) { return term.name == name; });
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricTerm& term : metric_terms()) names.emplace_back(term.name);
  for (const MetricTerm& term : comparison_terms()) names.emplace_back(term.name);
  return names;
}

const std::vector<MetricRow>& rows_of(const PlotCase& one, const MetricChoice& choice) {
  return choice.is_comparison() ? one.comparisons : one.metrics;
}

bool has_cycles(const PlotCase& one) {
  return find_metric(one.metrics, "cycle_time", "") != nullptr;
}

std::string missing_reason(const PlotCase& one, const MetricChoice& choice) {
  if (choice.name == "latency" && choice.statistic.empty() && has_cycles(one)) {
    return "several batches per cycle: the time is cycle_time, and latency:median is over inputs";
  }
  const MetricRow* row = find_metric(rows_of(one, choice), choice.name, choice.statistic);
  if (row != nullptr) return row->reason.empty() ? "not finite" : row->reason;
  if (choice.is_comparison()) return "it is a baseline, or its group has none";
  const std::string scenario =
      value_of(one, "scenario").is_string() ? value_of(one, "scenario").get<std::string>() : "";
  return scenario.empty() ? "not measured" : fmt::format("scenario {} does not measure it", scenario);
}

void check_statistic(const PlotCases& cases, const MetricChoice& choice) {
  std::vector<std::string> statistics;
  for (const PlotCase& one : cases.cases) {
    for (const MetricRow& row : rows_of(one, choice)) {
      const bool is_known = std::find(statistics.begin(), statistics.end(), row.statistic) != statistics.end();
      if (row.name == choice.name && !is_known) statistics.push_back(row.statistic);
    }
  }
  if (statistics.empty()) return;  // check_has_values says why
  if (std::find(statistics.begin(), statistics.end(), choice.statistic) == statistics.end()) {
    throw unknown_value(fmt::format("--y: statistic of {}", choice.name), choice.statistic, statistics);
  }
}

}  // namespace

std::string MetricChoice::words() const {
  return statistic.empty() ? words_of(name) : fmt::format("{} {}", words_of(name), statistic);
}

bool MetricChoice::is_comparison() const {
  return is_among(comparison_terms(), name);
}

MetricChoice metric_choice(const std::string& name) {
  const MetricTerm& term = is_among(comparison_terms(), name) ? comparison_term(name) : metric_term(name);
  return {name, "", std::string(term.unit), std::string(term.meaning)};
}

void check_metric_name(const std::string& name) {
  const std::vector<std::string> known = metric_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) throw unknown_value("--y: metric", name, known);
}

MetricChoice parse_metric(const PlotCases& cases, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name(trim(text.substr(0, colon)));
  check_metric_name(name);
  MetricChoice choice = metric_choice(name);
  if (colon == std::string::npos) return choice;
  choice.statistic = trim(text.substr(colon + 1));
  check_statistic(cases, choice);
  return choice;
}

std::optional<MetricRow> chosen_row(const PlotCase& one, const MetricChoice& choice) {
  if (choice.name == "latency" && choice.statistic.empty() && has_cycles(one)) return std::nullopt;
  const MetricRow* row = find_metric(rows_of(one, choice), choice.name, choice.statistic);
  if (row == nullptr || !row->value || !std::isfinite(*row->value)) return std::nullopt;
  return *row;
}

std::string missing_reasons(const PlotCases& cases, const MetricChoice& choice) {
  constexpr std::size_t kMostReasons = 3;
  std::map<std::string, std::size_t> counts;
  for (const PlotCase& one : cases.cases) {
    if (!chosen_row(one, choice)) ++counts[missing_reason(one, choice)];
  }
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    if (parts.size() == kMostReasons) break;
    parts.push_back(fmt::format("{} ({})", reason, counted(count, "case")));
  }
  if (reasons.size() > kMostReasons) parts.push_back(counted(reasons.size() - kMostReasons, "other reason"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void check_has_values(const PlotCases& cases, const MetricChoice& choice) {
  if (value_count(cases, choice) > 0) return;
  if (choice.is_comparison() && !cases.has_baseline) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("'{}' compares with a baseline, and run {} has none: name one, e.g. --baseline "
                            "attention=eager",
                            choice.name, fmt::join(cases.runs, ", ")));
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("no case has a value of '{}': {}", choice.name, missing_reasons(cases, choice)));
}

std::size_t value_count(const PlotCases& cases, const MetricChoice& choice) {
  return static_cast<std::size_t>(std::count_if(cases.cases.begin(), cases.cases.end(), [&](const PlotCase& one) {
    return chosen_row(one, choice).has_value();
  }));
}

}  // namespace transformeter
