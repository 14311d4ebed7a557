// As from a shell, but in this process.
#include "cli/subcommand.h"

#include "base/error.h"
#include "cli/command.h"
#include "cli/parse_command_line.h"

namespace transformeter {

int run_subcommand(const Context& context, const std::vector<std::string>& arguments,
                   const std::atomic<bool>& interrupt) {
  const std::vector<std::unique_ptr<Command>> commands = builtin_commands();
  const ProgramDeclaration program = declare_program(commands);
  std::vector<const char*> words{program.self.name.c_str()};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  const ParsedCommandLine parsed = parse_command_line(program, static_cast<int>(words.size()), words.data());
  if (!parsed.command || parsed.request) throw Error(ErrorKind::kInternal, "a step of a pipeline is no command");
  return commands[*parsed.command]->run(context, interrupt);
}

}  // namespace transformeter
