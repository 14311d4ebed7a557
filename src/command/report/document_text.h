// Parts of a document as plain text, for renderers that have no better form for them. Nothing is escaped.
#pragma once

#include <string>

#include "report/document.h"

namespace transformeter {

/// "b8 fp32: ok, doubtful (one_replicate)"; of a figure "26.1 ms (25.9 ms to 26.4 ms)", of several with arrows between
/// them, a dash where there is none.
std::string cell_text(const Cell& cell);

/// "Same in all cases: model bert-base, task masked_lm."
std::string facts_text(const Facts& facts);

/// "results: 2 ok, valid; 1 failed".
std::string chips_text(const ChipRow& row);

/// The text after what begins it: "foreign_load: other programs ran".
std::string with_opening(const std::string& strong, const std::string& text);

}  // namespace transformeter
