// One `complete` line for each subcommand and option.
#include <fmt/format.h>

#include "cli/completion.h"

namespace transformeter {
namespace {

constexpr const char* kHead = R"(# Completion of transformeter for fish; made by: transformeter completion fish
# Load it with: transformeter completion fish | source
complete -c transformeter -f
)";

// Backslashes and single quotes alone have a meaning in fish's single quotes.
std::string quoted(const std::string& text) {
  std::string plain = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') plain += '\\';
    plain += c;
  }
  return plain + "'";
}

std::string offered(const OptionValues& values) {
  if (values.words.empty()) return "";
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  if (!values.list) return " -a " + quoted(words);
  return " -a " + quoted(fmt::format("(__fish_complete_list , 'printf \"%s\\n\" {}')", words));
}

std::string option_line(const std::string& condition, const OptionDeclaration& option) {
  const OptionValues values = values_of(option);
  std::string line = "complete -c transformeter -n " + quoted(condition);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.takes_value()) line += values.path ? " -r -F" : " -x";
  return line + offered(values) + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const ProgramDeclaration& program) {
  std::string text = kHead;
  for (const OptionDeclaration* option : program.self.flags()) text += option_line("__fish_use_subcommand", *option);
  for (const CommandDeclaration& command : program.commands) {
    text += fmt::format("complete -c transformeter -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
  }
  for (const CommandDeclaration& command : program.commands) {
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const OptionDeclaration* option : command.flags()) text += option_line(condition, *option);
    for (const OptionDeclaration* option : command.positionals()) {
      const OptionValues values = values_of(*option);
      if (values.words.empty() && !values.path) continue;
      text += "complete -c transformeter -n " + quoted(condition) + (values.path ? " -F" : "") + offered(values) + "\n";
    }
  }
  return text;
}

}  // namespace transformeter
