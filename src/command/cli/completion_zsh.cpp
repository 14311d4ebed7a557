// One _arguments call for each subcommand.
#include <fmt/format.h>

#include "cli/completion.h"

namespace transformeter {
namespace {

constexpr const char* kHead = R"(#compdef transformeter
# Completion of transformeter for zsh; made by: transformeter completion zsh
# Load it with: source <(transformeter completion zsh), or keep it as _transformeter in a folder of $fpath

_transformeter_offer() {  # one|list path|no WORDS...: words and files that may stand here
  local kind=$1 path_too=$2
  shift 2
  if (( $# )); then
    if [[ $kind == list ]]; then _sequence compadd - "$@"; else compadd -- "$@"; fi
  fi
  if [[ $path_too == path ]]; then _files; fi
}

_transformeter() {
  local context state state_descr line
  typeset -A opt_args
)";

// Brackets, colons and backslashes have a meaning in the specifications of _arguments.
std::string escaped(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') plain += '\\';
    plain += c;
  }
  return plain;
}

std::string action(const OptionDeclaration& option) {
  const OptionValues values = values_of(option);
  return fmt::format(":{}: _transformeter_offer {} {} {}", escaped(option.placeholder), values.list ? "list" : "one",
                     values.path ? "path" : "no", fmt::join(values.words, " "));
}

std::string arguments_of(const CommandDeclaration& command) {
  std::string text;
  for (const OptionDeclaration* option : command.flags()) {
    for (const std::string& name : option->names) {
      const bool long_value = option->takes_value() && name.starts_with("--");
      const std::string specification = fmt::format("{}{}[{}]{}", name, long_value ? "=" : "", escaped(option->help),
                                                    option->takes_value() ? action(*option) : "");
      text += " \\\n        " + shell_quoted(specification);
    }
  }
  std::size_t place = 0;
  for (const OptionDeclaration* option : command.positionals()) {
    const std::string where = option->is_repeated() ? "*" : std::to_string(++place);
    text += " \\\n        " + shell_quoted(where + action(*option));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const ProgramDeclaration& program) {
  std::string text = kHead;
  text += "  _arguments -C" + arguments_of(program.self) +
          " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n  case $state in\n    command)\n" +
          "      local -a commands=(\n";
  for (const CommandDeclaration& command : program.commands) {
    text += "        " + shell_quoted(command.name + ":" + escaped(command.summary)) + "\n";
  }
  text += "      )\n      _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (const CommandDeclaration& command : program.commands) {
    text += fmt::format("      {}) _arguments{} ;;\n", command.name, arguments_of(command));
  }
  return text + "      esac ;;\n  esac\n}\n\n" +
         "if [[ ${funcstack[1]-} == _transformeter ]]; then _transformeter \"$@\"; else compdef _transformeter "
         "transformeter; fi\n";
}

}  // namespace transformeter
