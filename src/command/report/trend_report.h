// A metric over runs, with its changes: as a document and as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/metric_trend.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

struct TrendReport {
  TrendOptions options;
  std::vector<TrendSeries> series;
  std::size_t run_count = 0;
};

/// "+12.0 %": of its levels; "changed" where the earlier one is not above 0.
std::string change_text(const TrendChange& change);

/// Each change in a sentence, then every point of every series.
Document trend_document(const TrendReport& report);

/// {schema_version, metric, method, level, series}, as docs/trend.md describes it.
Json trend_json(const TrendReport& report);

}  // namespace transformeter
