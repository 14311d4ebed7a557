// Markdown and files have no width, and no colours.
#include "cli/document_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <span>

#include "base/files.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "report/json_text.h"
#include "report/markdown_document.h"
#include "report/text_document.h"

namespace transformeter {

std::vector<std::string> DocumentOutput::words() const {
  std::vector<std::string> words{"table", "json", "markdown"};
  if (with_csv_) words.emplace_back("csv");
  return words;
}

OptionDeclaration DocumentOutput::output_option() {
  return {.names = {"-o", "--output"},
          .target = &file_,
          .placeholder = "FILE",
          .help = fmt::format("file to write in place of standard output; .txt, .json{}",
                              with_csv_ ? ", .md or .csv" : " or .md")};
}

OptionDeclaration DocumentOutput::format_option() {
  return asked_format_option(asked_format_, words());
}

void DocumentOutput::check(const std::optional<std::string>& store) {
  static constexpr FileEnding kEndings[] = {{".txt", "table"}, {".json", "json"}, {".md", "markdown"}, {".csv", "csv"}};
  const std::size_t count = with_csv_ ? std::size(kEndings) : std::size(kEndings) - 1;
  format_ = chosen_format(asked_format_, file_, words(), std::span(kEndings, count));
  if (store) check_is_not_store(file_, *store);
  if (!file_.empty()) check_output_place("output", file_);
}

void DocumentOutput::write_text(std::string_view text) const {
  write_output(file_, text);
}

void DocumentOutput::write(const std::function<Document()>& document, const std::function<Json()>& json) const {
  write_text(format_ == "json" ? json_text(json()) : document_as(format_, document(), terminal_for(file_)));
}

std::string document_as(const std::string& format, const Document& document, const Terminal& terminal,
                        std::string_view format_option) {
  return format == "markdown" ? markdown_document(document)
                              : text_document(document, {terminal.has_colour, width_limit(terminal), format_option});
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
