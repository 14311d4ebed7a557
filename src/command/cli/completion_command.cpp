// `transformeter completion`: scripts that make shells complete this command.
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/standard_output.h"
#include "run/find_plan.h"
#include "schema/status.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"source <(transformeter completion bash)",
     "in ~/.bashrc; or write the script once to ~/.local/share/bash-completion/completions/transformeter"},
    {"source <(transformeter completion zsh)",
     "in ~/.zshrc after compinit; or write it to a file _transformeter in a folder of $fpath"},
    {"transformeter completion fish \\\n    > ~/.config/fish/completions/transformeter.fish"},
};

using Maker = std::string (*)(const ProgramDeclaration&);
constexpr std::array<std::pair<const char*, Maker>, 3> kShells{
    {{"bash", &bash_completion}, {"zsh", &zsh_completion}, {"fish", &fish_completion}}};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : kShells) names.emplace_back(name);
  return names;
}

// The plans that come with the program, which only the installed program can list.
void add_plans(ProgramDeclaration& program, const std::filesystem::path& data_directory) {
  for (CommandDeclaration& command : program.commands) {
    if (command.name != "run") continue;
    for (OptionDeclaration& option : command.options) {
      if (option.is_positional()) option.words = bundled_plans(data_directory);
    }
  }
}

class CompletionCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "completion",
            .task = CommandTask::kShell,
            .summary = "print a completion script for bash, zsh or fish",
            .options = {{.names = {"shell"},
                         .target = &shell_,
                         .placeholder = "bash|zsh|fish",
                         .help = "the shell to print a script for",
                         .is_required = true}},
            .examples = kExamples};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    for (const auto& [name, maker] : kShells) {
      if (shell_ != name) continue;
      ProgramDeclaration program = described_program();
      add_plans(program, context.data_directory);
      write_standard_output(maker(program));
      return kExitOk;
    }
    throw unknown_value("shell", shell_, shell_names());
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace transformeter
