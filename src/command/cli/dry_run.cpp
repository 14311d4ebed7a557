// Forecasts first, then times of earlier runs.
#include "cli/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

#include "analysis/case_label.h"
#include "base/units.h"
#include "cli/document_output.h"
#include "report/forecast_report.h"
#include "report/json_text.h"
#include "run/forecast_cases.h"
#include "schema/status.h"

namespace transformeter {
namespace {

// A forecast of natural or drawn lengths makes all texts, which may take longer than the first case.
bool is_quick(const PlannedCase& planned) {
  const Case& asked = planned.asked;
  return !planned.record.status && (asked.is_generate() || asked.has_filled_rows());
}

void scale_times(const std::vector<MeasuredRate>& measured, ForecastReport& report) {
  for (std::size_t i = 0; i < report.forecasts.size(); ++i) {
    const CaseForecast& forecast = report.forecasts[i];
    const bool is_measured = report.earlier.count(report.run->cases[i].plan_key) != 0;
    if (is_measured || !forecast.flops) continue;
    report.scaled[i] = scaled_time({report.run->cases[i].requested, *forecast.flops, forecast.batches}, measured);
  }
}

// A case that is not known to be impossible may be ok.
int exit_code_of_run(const RunRecord& run, bool strict) {
  std::vector<Status> statuses;
  for (const CaseRecord& the_case : run.cases) statuses.push_back(the_case.status.value_or(Status::kOk));
  return exit_code(statuses, strict);
}

}  // namespace

int show_forecast(const Context& context, const PlannedRun& planned, const std::string& store_path,
                  const std::string& format, bool strict) {
  const PreparedRun& run = planned.run;
  ForecastReport report{&run.record, forecast_cases(context, run, planned.options), {}, {}};
  report.scaled.resize(report.forecasts.size());
  if (std::filesystem::exists(store_path)) {
    std::set<std::string> keys;
    for (const CaseRecord& the_case : run.record.cases) keys.insert(the_case.plan_key);
    const std::unique_ptr<Store> store = open_store(store_path, StoreMode::kRead, context.log);
    const std::string fingerprint = run.record.host.value("fingerprint", std::string());
    report.earlier = earlier_times(*store, keys, fingerprint);
    if (report.earlier.size() < keys.size()) scale_times(measured_rates(*store, fingerprint), report);
  }
  write_output({}, format == "json"
                       ? json_text(forecast_json(report))
                       : document_as(format, forecast_document(report), terminal_for({}), "--dry-run-format"));
  return exit_code_of_run(run.record, strict);
}

void warn_of_large_cases(const Context& context, const PreparedRun& run, const RunnerOptions& options) {
  if (!run.gives_forecasts || std::none_of(run.cases.begin(), run.cases.end(), is_quick)) return;
  PreparedRun quick;
  quick.worker = run.worker;
  quick.gives_forecasts = true;
  std::copy_if(run.cases.begin(), run.cases.end(), std::back_inserter(quick.cases), is_quick);
  const std::vector<CaseForecast> forecasts = forecast_cases(context, quick, options);
  const std::vector<std::string> axes = varying_settings(run.record.cases);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const CaseForecast& forecast = forecasts[i];
    if (!forecast.may_exceed_limit()) continue;
    const char* const what =
        forecast.exceeds_limit() ? "will not fit: its tensors take" : "may not fit: its tensors take up to";
    context.log(LogLevel::kWarning,
                fmt::format("{} {} {}, its memory limit is {}", long_label(quick.cases[i].record, axes), what,
                            format_bytes(*forecast.peak), format_bytes(static_cast<double>(*forecast.limit))));
  }
}

}  // namespace transformeter
