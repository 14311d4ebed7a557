// What reports tell of a run beside its cases: environment, settings, and the words that explain the figures. Declared
// once for Markdown and HTML.
#pragma once

#include <string_view>
#include <vector>

#include "report/case_columns.h"
#include "schema/record.h"

namespace transformeter {

/// Two columns, "what" and "value": one row for each plain value of the environment, by its path; a missing value with
/// its reason. Cells are one line each, not escaped. No columns when nothing was stored.
std::vector<CaseColumn> environment_columns(const RunRecord& run);

/// "setting", "values", "origin". No columns when nothing was stored.
std::vector<CaseColumn> settings_columns(const RunRecord& run);

/// Fixed sentences: what every figure of the tables is.
std::vector<std::string_view> meaning_lines();

}  // namespace transformeter
