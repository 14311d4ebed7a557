// The lines below a table: which weights and data were used, on which host, and what the notation means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"
#include "schema/missing_replicates.h"

namespace transformeter {

/// A reason or note of a verdict with its cases.
struct FindingGroup {
  std::string name;
  std::string meaning;                     // as declared in schema/verdict.h
  std::string remedy;                      // the same; empty for a note
  std::vector<const AnalyzedCase*> cases;  // in reading order
  std::vector<std::string> labels;         // of the cases
  std::vector<std::string> details;
};

/// Cases of one group that share their figures.
struct FindingRow {
  std::vector<std::string> details;  // one; of cases that differ each its own, after its label
  std::vector<std::string> labels;
};
/// In the order of their first cases. Beyond `most_rows` ≥ 1 the rest shares a further row.
std::vector<FindingRow> finding_rows(const FindingGroup& group, std::size_t most_rows);

/// Reasons, or notes, each once. Notes of which another line speaks (the weights) are left out.
std::vector<FindingGroup> reason_groups(const AnalyzedRun& run);
std::vector<FindingGroup> note_groups(const AnalyzedRun& run);

/// What a verdict's reason means; empty for one that is not declared.
std::string meaning_of_reason(const std::string& name);

/// "to fix NAME: WHAT TO DO" for each reason of the run's cases.
std::vector<std::string> remedy_lines(const AnalyzedRun& run);

/// The line shown when no case has a reason.
std::string_view no_reason_line(const AnalyzedRun& run);

/// "LABEL: STATUS: REASON" for each case that is not ok; pending replicates are counted at the end.
std::vector<std::string> unfinished_lines(const AnalyzedRun& run);

/// One sentence for each source of weights that occurs.
std::vector<std::string> weights_lines(const AnalyzedRun& run);

/// The task, unless it is an axis; then a line for each data set that a worker read, with the beginning of its file's
/// hash and the number of texts in cycles of natural lengths.
std::vector<std::string> workload_lines(const AnalyzedRun& run);

/// "products: mostly by onednn_prepacked (2 cases), mkl_prepacked (1 case); ...": of cases whose products were tried;
/// empty where there is none.
std::string products_line(const AnalyzedRun& run);

/// "attention: by tiled for 2 kinds of inputs, as a trial chose (times: ...)", and what was left out. Empty without
/// trials.
std::string attention_line(const AnalyzedRun& run);

/// What a table shows of intervals.
inline constexpr std::string_view kHalfWidths = "±: larger side of the 95 % interval";
inline constexpr std::string_view kBothEnds = "95 % intervals";

/// What the interval beside a time is over, after the words for what is shown of it; nothing when no time has one.
std::vector<std::string> interval_lines(const AnalyzedRun& run, std::string_view shown);

/// "AMD EPYC 7B13, 2 cores, 2 threads, LibTorch 2.15.0": what of it is known.
std::string host_line(const AnalyzedRun& run);

/// "pending: 5 of 6 replicates"; empty where none is.
std::string pending_text(const PendingReplicates& replicates);

}  // namespace transformeter
