// Markdown and files have no width, and no colours.
#include "cli/document_output.h"

#include <cstdio>

#include "base/files.h"
#include "cli/standard_output.h"
#include "report/markdown_document.h"
#include "report/text_document.h"

namespace transformeter {

std::string document_as(const std::string& format, const Document& document, const Terminal& terminal) {
  return format == "markdown" ? markdown_document(document)
                              : text_document(document, {terminal.has_colour, width_limit(terminal)});
}

Terminal terminal_for(const std::filesystem::path& output) {
  return output.empty() ? terminal_at(stdout) : Terminal{};
}

void write_output(const std::filesystem::path& output, std::string_view text) {
  if (output.empty()) {
    write_standard_output(text);
  } else {
    write_file_atomically(output, text);
  }
}

}  // namespace transformeter
