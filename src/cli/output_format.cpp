// Checked by us and not by CLI11, for our wording with the nearest word.
#include "cli/output_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/option_values.h"

namespace transformeter {

void add_format_option(CLI::App& app, std::string& format, const std::vector<std::string>& words) {
  format = words.front();
  CLI::Option* option =
      app.add_option("--format", format, fmt::format("{} [{}]", fmt::join(words, ", "), words.front()));
  describe_values(*option, "FORMAT", {words});
}

void check_format(const std::string& format, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), format) == words.end()) throw unknown_value("format", format, words);
}

}  // namespace transformeter
