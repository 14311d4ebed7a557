// Walks CLI11's tree.
#include "cli/program_shape.h"

#include <algorithm>

#include "base/error.h"

namespace transformeter {
namespace {

OptionShape option_shape(const CLI::Option& option) {
  OptionShape shape;
  for (const std::string& name : option.get_snames()) shape.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) shape.names.push_back("--" + name);
  if (option.get_positional()) shape.names = {option.get_name(true)};
  shape.takes_value = option.get_items_expected_max() > 0;
  shape.is_required = option.get_required();
  shape.is_repeated = option.get_items_expected_max() > 1;
  if (shape.takes_value) shape.placeholder = option.get_option_text();
  shape.help = option.get_description();
  shape.values = values_of(option);
  return shape;
}

CommandShape command_shape(const CLI::App& app) {
  CommandShape shape{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? shape.positionals : shape.options).push_back(option_shape(*option));
  }
  return shape;
}

}  // namespace

ProgramShape shape_of(const CLI::App& program) {
  ProgramShape shape{command_shape(program), {}};
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    shape.commands.push_back(command_shape(*command));
  }
  return shape;
}

const CommandShape& command_named(const ProgramShape& program, const std::string& name) {
  std::vector<std::string> names;
  for (const CommandShape& command : program.commands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw unknown_value("command", name, names);
}

std::vector<std::string> option_names(const CommandShape& command) {
  std::vector<std::string> names;
  for (const OptionShape& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

}  // namespace transformeter
