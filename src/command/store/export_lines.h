// Records as lines of an export (docs/results.md): everything a store holds but what can be computed from it. Equal
// records give equal bytes, so that lines can be compared.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schema/record.h"

namespace transformeter {

inline constexpr std::string_view kExportFormat = "transformeter-export";
/// Raised when a field changes or is added; a higher one is refused.
inline constexpr int kExportSchemaVersion = 1;

struct ExportCount {
  std::size_t runs = 0;
  std::size_t cases = 0;
  std::size_t replicates = 0;
};

// One line each, ended by a line break: keys sorted, no white space, invalid UTF-8 replaced.
std::string header_line();
std::string run_line(const RunRecord& run);
std::string case_line(std::string_view run_id, const CaseRecord& one);
std::string replicate_line(std::string_view run_id, std::string_view case_id, const ReplicateRecord& replicate);
std::string end_line(const ExportCount& count);

/// A sample as it stands in an export: the shortest text that reads back as the same number, "-0.0" for negative zero.
/// What JSON has no number for is a text in quotes: Infinity, -Infinity, NaN, and NaN:HEX for a NaN of other bits.
void append_sample(std::string& text, double value);

}  // namespace transformeter
