// A row a case, and what does not fit in sentences before it.
#include "report/forecast_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_label.h"
#include "analysis/results.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "report/metric_text.h"

namespace transformeter {
namespace {

const EarlierTime* earlier_of(const ForecastReport& report, const CaseRecord& the_case) {
  const auto found = report.earlier.find(the_case.plan_key);
  return found == report.earlier.end() ? nullptr : &found->second;
}

// As earlier times, a cycle of batches is named.
std::string scaled_text(const ScaledTime& time, double batches) {
  std::string text = fmt::format("{}≈ {}", batches > 1 ? "cycle " : "", format_quantity(time.value_s, "s"));
  if (time.low_s) {
    text += fmt::format(" ({} to {})", format_quantity(*time.low_s, "s"), format_quantity(*time.high_s, "s"));
  }
  return text + (time.is_doubtful ? ", doubtful" : "");
}

std::string fit_text(const CaseForecast& forecast) {
  if (!forecast.peak || !forecast.limit) return "-";
  if (forecast.exceeds_limit()) return "too large";
  if (forecast.may_exceed_limit()) return "may not fit";
  return forecast.is_tight() ? "tight" : "fits";
}

// As results show it: a cycle of batches of several lengths is named.
std::string time_text(const MetricRow& row) {
  return row.name == "cycle_time" ? fmt::format("cycle {}", value_text(&row)) : value_text(&row);
}

// How often all texts are measured, and in how many batches where the worker said that; empty where time decides.
std::string passes_text(const CaseRecord& the_case, const CaseForecast& forecast) {
  const auto cycles = number_of_path(the_case.requested, {"cycles"});
  if (!cycles) return "";
  std::string passes = fmt::format("{:.0f} {}", *cycles, *cycles == 1 ? "pass" : "passes");
  if (!forecast.flops) return passes;
  return fmt::format("{} of {:.0f} {}", passes, forecast.batches, forecast.batches == 1 ? "batch" : "batches");
}

Table case_table(const ForecastReport& report) {
  Table table;
  constexpr bool kMayBeHidden = true;
  table.columns = {{"case"},
                   {"tensors", true},
                   {"weights", true, false, kMayBeHidden},
                   {"gradients", true, false, kMayBeHidden},
                   {"optimizer", true, false, kMayBeHidden},
                   {"activations", true, false, kMayBeHidden},
                   {"inputs", true, false, kMayBeHidden},
                   {"cache", true, false, kMayBeHidden},
                   {"mapped", true, false, kMayBeHidden},
                   {"limit", true},
                   {"memory"},
                   {"measures"},
                   {"time", true},
                   {"time from", false, false, kMayBeHidden},
                   {"note"}};
  const std::vector<std::string> axes = varying_settings(report.run->cases);
  bool has_bound = false;
  bool has_scaled = false;
  for (std::size_t i = 0; i < report.forecasts.size(); ++i) {
    const CaseRecord& the_case = report.run->cases[i];
    const CaseForecast& forecast = report.forecasts[i];
    const EarlierTime* earlier = earlier_of(report, the_case);
    const std::optional<ScaledTime>& scaled = report.scaled[i];
    has_scaled = has_scaled || scaled;
    has_bound = has_bound || forecast.is_upper_bound;
    const std::optional<double> limit =
        forecast.limit ? std::optional(static_cast<double>(*forecast.limit)) : std::nullopt;
    add_row(table, {long_label(the_case, axes), peak_text(forecast), bytes_text(forecast.weights),
                    bytes_text(forecast.gradients), bytes_text(forecast.optimizer), bytes_text(forecast.activations),
                    bytes_text(forecast.inputs), forecast.cache.value_or(0) > 0 ? bytes_text(forecast.cache) : "-",
                    forecast.mapped.value_or(0) > 0 ? bytes_text(forecast.mapped) : "-",
                    forecast.peak ? bytes_text(limit) : "-", fit_text(forecast), passes_text(the_case, forecast),
                    earlier != nullptr ? time_text(earlier->row)
                    : scaled           ? scaled_text(*scaled, forecast.batches)
                                       : "-",
                    earlier != nullptr ? earlier->run_id
                    : scaled           ? fmt::format("{}, {}", scaled->run_id, scaled->label)
                                       : "-",
                    forecast.reason.empty() ? "-" : forecast.reason});
  }
  drop_empty_columns(table);
  if (has_scaled) {
    table.notes.emplace_back(
        "≈: not measured; by the FLOPs per second of the nearest case that ran in the same way. In brackets, where "
        "three "
        "pairs of measured cases or more are as far apart: the largest error between such pairs, and the rate's "
        "interval");
  }
  const bool has_any = std::any_of(report.forecasts.begin(), report.forecasts.end(),
                                   [](const CaseForecast& one) { return one.peak.has_value(); });
  if (!has_any) return table;
  table.notes.push_back(
      fmt::format("tensors: most that is alive at once, temporary ones included; a worker takes 0.1 to 0.2 GiB beside "
                  "them, and more while it loads: tight where less than {} is left; `transformeter find-max` tries it",
                  format_bytes(CaseForecast::kOwnBytes)));
  if (has_bound) table.notes.emplace_back(kUpperBoundNote);
  return table;
}

}  // namespace

Document forecast_document(const ForecastReport& report) {
  Document document;
  document.title = "Forecast";
  const auto too_large = static_cast<std::size_t>(std::count_if(
      report.forecasts.begin(), report.forecasts.end(), [](const CaseForecast& one) { return one.exceeds_limit(); }));
  std::string summary = fmt::format("{}, {} each; nothing was measured", counted(report.run->cases.size(), "case"),
                                    counted(static_cast<std::size_t>(report.run->replicates_planned), "replicate"));
  const auto impossible =
      static_cast<std::size_t>(std::count_if(report.run->cases.begin(), report.run->cases.end(),
                                             [](const CaseRecord& one) { return one.status.has_value(); }));
  const bool can_none_run = impossible == report.run->cases.size();
  if (can_none_run) {
    summary += "; no case can run";
  } else if (impossible > 0) {
    summary += fmt::format("; {} cannot run", counted(impossible, "case"));
  }
  if (too_large > 0) summary += fmt::format("; {} larger than the memory limit", counted(too_large, "case"));
  document.lead.emplace_back(Paragraph{std::move(summary), "forecast", too_large > 0 || can_none_run});
  document.sections.emplace_back(Section{"cases", "Cases", {}}).blocks.emplace_back(case_table(report));
  return document;
}

namespace {

Json scaled_json(const std::optional<ScaledTime>& time) {
  if (!time) return Json();
  return {{"value_s", time->value_s},
          {"low_s", finite_or_null(time->low_s)},
          {"high_s", finite_or_null(time->high_s)},
          {"run", time->run_id},
          {"from", time->label},
          {"is_doubtful", time->is_doubtful}};
}

}  // namespace

Json forecast_json(const ForecastReport& report) {
  Json cases = Json::array();
  for (std::size_t i = 0; i < report.forecasts.size(); ++i) {
    const CaseRecord& the_case = report.run->cases[i];
    const CaseForecast& forecast = report.forecasts[i];
    const EarlierTime* earlier = earlier_of(report, the_case);
    cases.push_back(
        {{"case", the_case.id},
         {"requested", the_case.requested},
         {"status", the_case.status ? Json(name_of(*the_case.status)) : Json()},
         {"peak_bytes", finite_or_null(forecast.peak)},
         {"weight_bytes", finite_or_null(forecast.weights)},
         {"gradient_bytes", finite_or_null(forecast.gradients)},
         {"optimizer_bytes", finite_or_null(forecast.optimizer)},
         {"activation_bytes", finite_or_null(forecast.activations)},
         {"input_bytes", finite_or_null(forecast.inputs)},
         {"cache_bytes", finite_or_null(forecast.cache)},
         {"mapped_weight_bytes", finite_or_null(forecast.mapped)},
         {"is_upper_bound", forecast.peak ? Json(forecast.is_upper_bound) : Json()},
         {"memory_limit_bytes", forecast.limit ? Json(*forecast.limit) : Json()},
         {"exceeds_limit", forecast.peak && forecast.limit ? Json(forecast.exceeds_limit()) : Json()},
         {"reason", forecast.reason.empty() ? Json() : Json(forecast.reason)},
         {"scaled_time", scaled_json(report.scaled[i])},
         {"earlier",
          earlier == nullptr ? Json() : Json{{"run", earlier->run_id}, {"time", metric_json(earlier->row)}}}});
  }
  return {{"schema_version", kResultSchemaVersion},
          {"replicates", report.run->replicates_planned},
          {"cases", std::move(cases)}};
}

}  // namespace transformeter
