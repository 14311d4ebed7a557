// Summaries of a run's figures by the values of its settings, for people and for programs.
#pragma once

#include "analysis/analyzed_run.h"
#include "analysis/setting_summary.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// A table for each setting: the metrics that a reader looks at first, by value of the setting. JSON has all of them.
/// Borrows nothing.
Document summary_document(const AnalyzedRun& run, const SettingSummaries& summaries);

/// {schema_version, run, summaries, left_out} as docs/results.md describes them.
Json summary_json(const AnalyzedRun& run, const SettingSummaries& summaries);

}  // namespace transformeter
