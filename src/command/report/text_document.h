// A document as text for a terminal, or for a file without a width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/document.h"

namespace transformeter {

struct TextOptions {
  bool has_colour = false;  // escape sequences may be used
  // Columns of the terminal: optional columns of tables give way first, then cells are cut; lines are broken at blanks.
  // Nothing: all columns, and lines as long as they are.
  std::optional<std::size_t> width;
  std::string_view format_option = "--format";  // of the command just typed: its markdown has the hidden columns
};

/// Without the title, which the command just typed says, and without figures; nothing is folded. Hidden columns are
/// named below their tables. Every line ends with '\n'; user text is neutralised.
std::string text_document(const Document& document, const TextOptions& options);

}  // namespace transformeter
