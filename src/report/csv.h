// CSV (RFC 4180): one row for each case, metric and statistic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/record.h"

namespace transformeter {

/// A heading and the rows, lines ended by CRLF, valid UTF-8. Identity and requested settings stand in every row; a case
/// without metrics (pending, unsupported, failed) has one row with empty metric columns. A missing value is empty.
std::string results_csv(const std::vector<RunRecord>& runs);

/// The heading and the rows of one case, for those who write piece by piece. `run` is used without its cases; `one`
/// holds its series or a current summary.
std::string csv_heading();
std::string csv_rows(const RunRecord& run, const CaseRecord& one);

/// Quoted where it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

}  // namespace transformeter
