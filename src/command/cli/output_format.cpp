// Checked here and not by the parser, for an error that names the nearest word.
#include "cli/output_format.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"

namespace transformeter {

OptionDeclaration format_option(std::string& format, const std::vector<std::string>& words) {
  format = words.front();
  return {.names = {"--format"},
          .target = &format,
          .placeholder = "FORMAT",
          .help = "output format",
          .initial = words.front(),
          .words = words,
          .has_only_words = true};
}

OptionDeclaration asked_format_option(std::optional<std::string>& format, const std::vector<std::string>& words) {
  std::string unused;
  OptionDeclaration option = format_option(unused, words);
  option.target = &format;
  return option;
}

void check_format(const std::string& format, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), format) == words.end()) throw unknown_value("format", format, words);
}

std::string chosen_format(const std::optional<std::string>& asked, const std::string& output,
                          const std::vector<std::string>& words, std::span<const FileEnding> endings) {
  if (asked) {
    check_format(*asked, words);
    return *asked;
  }
  return output.empty() ? words.front() : format_of_file(output, endings);
}

std::string format_of_file(const std::string& output, std::span<const FileEnding> endings) {
  const std::string extension = std::filesystem::path(output).extension().string();
  std::string known;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (extension == endings[i].ending) return endings[i].format;
    known += (i == 0 ? "" : i + 1 < endings.size() ? ", " : " or ") + std::string(endings[i].ending);
  }
  throw bad_value("output", output, "a file name that ends in " + known, "The ending chooses the format.");
}

}  // namespace transformeter
