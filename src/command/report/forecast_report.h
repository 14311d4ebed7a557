// What the cases of a plan will take, before they are measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/earlier_times.h"
#include "analysis/time_forecast.h"
#include "base/json.h"
#include "metrics/case_forecast.h"
#include "report/document.h"

namespace transformeter {

struct ForecastReport {
  const RunRecord* run = nullptr;
  std::vector<CaseForecast> forecasts;            // of its cases
  std::map<std::string, EarlierTime> earlier;     // by plan_key
  std::vector<std::optional<ScaledTime>> scaled;  // of its cases, where there is no earlier time
};

Document forecast_document(const ForecastReport& report);

/// {schema_version, replicates, cases}, as docs/manual.md describes it.
Json forecast_json(const ForecastReport& report);

}  // namespace transformeter
