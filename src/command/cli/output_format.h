// The --format option of every command that prints results, and formats chosen by the ending of a file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/declaration.h"

namespace transformeter {

/// The first word is the default, which `format` gets.
OptionDeclaration format_option(std::string& format, const std::vector<std::string>& words);
/// The same where a file's ending may choose instead: `format` stays empty when the option is not given.
OptionDeclaration asked_format_option(std::optional<std::string>& format, const std::vector<std::string>& words);
/// Throws Error(kBadInput) for a word that is none of them.
void check_format(const std::string& format, const std::vector<std::string>& words);

/// By which ending a file's name chooses a format.
struct FileEnding {
  const char* ending;  // ".md"
  const char* format;  // "markdown"
};

/// `asked`, else what the ending of `output` says, else, of standard output, the first word. Throws Error(kBadInput)
/// for another word, and as format_of_file.
std::string chosen_format(const std::optional<std::string>& asked, const std::string& output,
                          const std::vector<std::string>& words, std::span<const FileEnding> endings);
/// Throws Error(kBadInput) that lists the endings for another one.
std::string format_of_file(const std::string& output, std::span<const FileEnding> endings);

}  // namespace transformeter
