// Reports of runs as slides, in the format of PowerPoint, written by pandoc.
#pragma once

#include <span>
#include <string>

#include "report/report_sections.h"
#include "report/report_tool.h"

namespace transformeter {

struct SlideOptions {
  std::string store;  // path of the store; empty: left out
  ToolOptions gnuplot;
  ToolOptions pandoc;
  std::span<const RunComparison> comparisons = {};  // as those of run_document.h
  std::span<const RunProfiles> profiles = {};       // likewise
  std::string reference;  // a PowerPoint file whose layouts and colours the slides get; empty: pandoc's own
};

struct SlideReport {
  std::string pptx;
  std::string plots_problem;  // why it has no pictures, as it also says itself; empty: it has them
};

/// Text that can be edited, tables, and a picture for each figure. Without gnuplot it has no pictures and says so. One
/// run at least. Throws Error(kEnvironment) when pandoc is missing, fails, hangs or writes no whole file, and what
/// `while_waiting` throws; no process and no temporary file stays.
SlideReport slide_report(std::span<const AnalyzedRun> runs, const SlideOptions& options);

/// `native` is for `pandoc -f native`; `pictures` are its files, named by slide_picture_name; `reference` as above.
/// Throws likewise.
std::string pptx_of_native(const std::string& native, const std::vector<std::string>& pictures,
                           const ToolOptions& options, const std::string& reference = "");

}  // namespace transformeter
