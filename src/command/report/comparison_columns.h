// What tables that compare candidates with a baseline hold: the terminal's columns, and the lines below.
#pragma once

#include <string>
#include <vector>

#include "analysis/baseline_table.h"
#include "report/document.h"

namespace transformeter {

/// Where the pair stands, the candidate's arm, speed-up with its interval, time and memory saved, the attention kernels
/// that ran, times, accuracy and divergence where there are any, and the answer. A cell for each pair; no columns
/// without pairs.
std::vector<Column> comparison_columns(const AnalyzedRun& run, const BaselineTable& table);

/// Explains the columns; of a table without pairs why it has none.
std::string comparison_legend(const BaselineTable& table);

/// "speed-up 1.312 (99 % interval 1.284 to 1.341)".
std::string speed_up_words(const Quotient& speed_up, double level);

/// Of one of SpeedComparison's tolerated doubts: "LABEL is doubtful (preempted), which ... covers".
std::string tolerated_text(const std::string& doubt);

/// Why pairs are undecided, which doubts do not count, and why memory saved is missing; each once.
std::vector<std::string> comparison_notes(const BaselineTable& table);

/// "1.312 (1.284 to 1.341)".
std::string speed_up_text(const Quotient& speed_up);
/// The same; a dash without a value.
std::string speed_up_text(const MetricRow* row);

/// "eager → flash": of the baseline and the candidate, a dash where it is not known; empty where both are not. Of
/// generate "eager → flash prefill, math decode" where the phases have different ones.
std::string kernels_text(const BaselinePair& pair);

/// The settings of the arm that vary, in the order of the declarations: what tells a candidate from its baseline.
std::vector<std::string> arm_axes(const AnalyzedRun& run, const BaselineTable& table);

}  // namespace transformeter
