// A run as a table for the terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/analyzed_run.h"

namespace transformeter {

struct TableOptions {
  bool has_colour = false;  // escape sequences may be used
  // Columns of the terminal: optional columns give way first, then cells are cut; lines under the table are broken at
  // blanks. Nothing: all columns, and lines as long as they are.
  std::optional<std::size_t> width;
  std::string store;  // path of the store, for the closing line; empty: left out
};

/// Table, then what it needs to be read rightly: reasons of cases without a result, verdict reasons with what to do
/// about them, weights, task, data, intervals, notes, host, run and store. Pending, unsupported and failed cases have
/// their rows. Every line ends with '\n'; user text is neutralised.
std::string run_table(const AnalyzedRun& run, const TableOptions& options);

}  // namespace transformeter
