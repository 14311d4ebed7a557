// One function that finds the subcommand and the option before the cursor, and a table of what to offer there.
#include <fmt/format.h>

#include "cli/completion.h"

namespace transformeter {
namespace {

constexpr const char* kHead = R"(# Completion of transformeter for bash; made by: transformeter completion bash
# Load it with: source <(transformeter completion bash)

_transformeter_offer() {  # one|list path|no WORDS: adds what fits the word at the cursor
  local prefix= rest word
  if [[ $1 == list && $cur == *,* ]]; then prefix=${cur%,*},; fi
  rest=${cur#"$prefix"}
  for word in $3; do
    if [[ $word == "$rest"* && ",$prefix" != *",$word,"* ]]; then COMPREPLY+=("$prefix$word"); fi
  done
  if [[ $2 == path ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen -f -- "$rest")
  fi
  if [[ $1 == list ]]; then compopt -o nospace 2>/dev/null; fi
}

_transformeter() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  # bash cuts --option=value at the equals sign
  if [[ $cur == = ]]; then cur=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$command $previous" in
)";

std::string offer(const OptionValues& values) {
  return fmt::format("_transformeter_offer {} {} {}", values.list ? "list" : "one", values.path ? "path" : "no",
                     shell_quoted(fmt::format("{}", fmt::join(values.words, " "))));
}

std::string option_cases(const CommandDeclaration& command) {
  std::string text;
  for (const OptionDeclaration* option : command.flags()) {
    if (!option->takes_value()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option->names) patterns.push_back(shell_quoted(command.name + " " + name));
    text += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), offer(values_of(*option)));
  }
  return text;
}

OptionValues positional_values(const CommandDeclaration& command) {
  OptionValues all;
  for (const OptionDeclaration* one : command.positionals()) {
    const OptionValues values = values_of(*one);
    all.words.insert(all.words.end(), values.words.begin(), values.words.end());
    all.path = all.path || values.path;
  }
  return all;
}

std::string word_case(const CommandDeclaration& command, const std::string& pattern, const OptionValues& positional) {
  return fmt::format("    {})\n      if [[ $cur == -* ]]; then {}; else {}; fi ;;\n", pattern,
                     offer({command.option_names(), false, false}), offer(positional));
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string bash_completion(const ProgramDeclaration& program) {
  std::string text = kHead;
  OptionValues names;
  for (const CommandDeclaration& command : program.commands) {
    text += option_cases(command);
    names.words.push_back(command.name);
  }
  text += "  esac\n  case $command in\n" + word_case(program.self, "''", names);
  for (const CommandDeclaration& command : program.commands) {
    text += word_case(command, command.name, positional_values(command));
  }
  return text + "  esac\n}\n\ncomplete -F _transformeter transformeter\n";
}

}  // namespace transformeter
