// The command line as data, read off the declarations: what completions and manual pages are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/option_values.h"

namespace transformeter {

struct OptionShape {
  std::vector<std::string> names;  // "-o", "--output"; of a positional "run"
  std::string placeholder;         // "FILE.md"; empty for a flag
  std::string help;
  OptionValues values;
  bool takes_value = false;
  bool is_required = false;
  bool is_repeated = false;  // takes any number of values
};

struct CommandShape {
  std::string name;  // "run"; of the program "transformeter"
  std::string help;
  std::string footer;  // examples and remarks, as --help shows them
  std::vector<OptionShape> options;
  std::vector<OptionShape> positionals;
};

struct ProgramShape {
  CommandShape self;
  std::vector<CommandShape> commands;
};

/// Of a program whose subcommands are all declared.
ProgramShape shape_of(const CLI::App& program);

/// Throws Error(kBadInput) with the nearest name for an unknown one.
const CommandShape& command_named(const ProgramShape& program, const std::string& name);

/// The words of every option, "--help" first.
std::vector<std::string> option_names(const CommandShape& command);

}  // namespace transformeter
