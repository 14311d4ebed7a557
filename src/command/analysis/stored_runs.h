// Loads runs from a store for reading results, with summaries instead of samples.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace transformeter {

/// Reads samples while a run is loaded. `wants` chooses cases, which it sees without series; `read` gets each of them
/// with its series, and the run without its cases.
struct SeriesReader {
  std::function<bool(const CaseRecord& one)> wants = [](const CaseRecord&) { return false; };
  std::function<void(const RunRecord& run, const CaseRecord& one)> read = [](const RunRecord&, const CaseRecord&) {};
};

/// As Detail::kDocuments, with the series of those cases that have no current summary: enough for analysis_of.
RunQuery query_for_analysis();

/// Selectors (RunQuery) of the runs that these name, each run once, in their order: ids where there are several;
/// without any that of the latest run.
std::vector<std::string> selected_runs(Store& store, const std::vector<std::string>& selectors);

/// One whole run whose cases have current summaries and no series, but for the columns of training steps that
/// analysis/step_columns.h reads. Errors as Store::load_run.
/// `reader` is given each case that it wants while it has its series.
RunRecord load_analyzed_run(Store& store, std::string_view selector, const SeriesReader& reader = {});

/// Computes and stores the summaries that are missing or outdated; returns their number.
std::size_t keep_missing_summaries(Store& store);

}  // namespace transformeter
