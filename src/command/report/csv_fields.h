// What the CSV formats of results share (RFC 4180): lines ended by CRLF, valid UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/record.h"
#include "schema/verdict.h"

namespace transformeter {

using CsvFields = std::vector<std::string>;

/// Quoted where it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// `identity`, then `rest`, quoted where needed.
void append_line(std::string& csv, const CsvFields& identity, const CsvFields& rest);

/// Enough digits to read the same number back; empty where there is none, or none that is finite.
std::string number_text(std::optional<double> value);

/// Which run and case, the requested settings, status and verdict: what identity_of gives for a case.
CsvFields identity_headings();
CsvFields identity_of(const RunRecord& run, const CaseRecord& one, const Verdict& verdict);

}  // namespace transformeter
