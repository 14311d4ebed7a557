// What an option may be given, kept with its declaration: shells complete from it, and help shows the placeholder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "terms/settings.h"

namespace transformeter {

struct OptionValues {
  std::vector<std::string> words;  // values that can be offered; others may be allowed too
  bool path = false;               // a file or folder serves
  bool list = false;               // a comma list of them
};

/// Shows `placeholder` in the help. Its parts ("FILE|bundled") say the rest: PATH, FILE and DIR, also with an ending
/// (PLAN.yaml), are paths, a part in small letters is a word; `further` adds to both.
void describe_values(CLI::Option& option, std::string_view placeholder, OptionValues further = {});
/// As the setting declares it.
void describe_values(CLI::Option& option, const SettingTerm& term);

/// What describe_values said; nothing to offer for other options.
OptionValues values_of(const CLI::Option& option);

}  // namespace transformeter
