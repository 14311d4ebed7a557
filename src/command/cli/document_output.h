// How commands that print a document, or write it to a file, do so.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/declaration.h"
#include "cli/terminal.h"
#include "report/document.h"

namespace transformeter {

/// What --format and -o say of a command that answers with one document, printed or in a file.
class DocumentOutput {
 public:
  /// `with_csv`: the command can give csv too.
  explicit DocumentOutput(bool with_csv = false) : with_csv_(with_csv) {}

  /// The options, which point into this object.
  OptionDeclaration output_option();
  OptionDeclaration format_option();
  /// Before what takes long. Throws Error(kBadInput) for a format that is none, and for a file that cannot be written
  /// or is the store, where the command has one.
  void check(const std::optional<std::string>& store);

  /// After check(): "table", "markdown", "json" or "csv".
  const std::string& format() const { return format_; }
  const std::string& file() const { return file_; }
  /// In place of what `write` would make.
  void write_text(std::string_view text) const;
  /// Makes the one that the format asks for.
  void write(const std::function<Document()>& document, const std::function<Json()>& json) const;

 private:
  std::vector<std::string> words() const;

  bool with_csv_;
  std::string file_;
  std::optional<std::string> asked_format_;
  std::string format_;
};

/// As "markdown", or else as text, fitted to the terminal it is for: that of a file is Terminal{}. Text without all
/// columns names the option that chooses the format.
std::string document_as(const std::string& format, const Document& document, const Terminal& terminal,
                        std::string_view format_option = "--format");

/// The terminal at standard output, where `output` is empty.
Terminal terminal_for(const std::filesystem::path& output);

/// To the file `output`, whole or not at all; where it is empty, to standard output.
void write_output(const std::filesystem::path& output, std::string_view text);

}  // namespace transformeter
