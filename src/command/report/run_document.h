// Runs as a document, made of the sections of report_sections.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/document.h"
#include "report/report_sections.h"

namespace transformeter {

struct RunDocumentOptions {
  std::string store = {};  // path of the store; empty: left out
  bool is_page = true;     // has figures and folds details
  std::span<const ReportSection> sections = kReportSections;
  std::span<const RunComparison> comparisons = {};  // of each run with another one; empty: none
  std::span<const RunProfiles> profiles = {};       // of each run's cases; empty: none
};

/// A part for each of `runs`, one at least. Borrows nothing. Figures are not drawn yet.
Document run_document(std::span<const AnalyzedRun> runs, const RunDocumentOptions& options);

/// The id of the part of the run at `index`: "run-1" for the first.
std::string part_id(std::size_t index);

/// Its name, or its id where it has none.
std::string run_title(const AnalyzedRun& run);

}  // namespace transformeter
