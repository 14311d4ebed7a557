// A store's runs as JSON Lines, to be imported elsewhere (docs/results.md).
#pragma once

#include <string>
#include <vector>

#include "base/output.h"
#include "store/export_lines.h"
#include "store/store.h"

namespace transformeter {

/// The ids of the runs meant, each once, earliest first, runs of one start by id; every run for no selector. Selectors
/// and errors as in RunQuery.
std::vector<std::string> runs_in_export_order(Store& store, const std::vector<std::string>& selectors);

/// Writes header, runs in that order, and end. One case is in memory at a time. Each run is one consistent view.
ExportCount export_jsonl(Store& store, const std::vector<std::string>& selectors, const Sink& sink);

}  // namespace transformeter
