// Checked here and not by the parser, for an error that names the nearest word.
#include "cli/output_format.h"

#include <algorithm>

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

void check_format(const std::string& format, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), format) == words.end()) throw unknown_value("format", format, words);
}

}  // namespace transformeter
