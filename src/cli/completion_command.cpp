// `transformeter completion`: scripts that make shells complete this command.
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/option_values.h"
#include "cli/standard_output.h"
#include "run/find_plan.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  source <(transformeter completion bash)
      in ~/.bashrc; or write it once to a file of the command's name in
      ~/.local/share/bash-completion/completions
  source <(transformeter completion zsh)
      in ~/.zshrc after compinit; or as _transformeter in a folder of $fpath
  transformeter completion fish \
    > ~/.config/fish/completions/transformeter.fish)";

using Maker = std::string (*)(const ProgramShape&);
constexpr std::array<std::pair<const char*, Maker>, 3> kShells{
    {{"bash", &bash_completion}, {"zsh", &zsh_completion}, {"fish", &fish_completion}}};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : kShells) names.emplace_back(name);
  return names;
}

// The plans that come with the program, which only the installed program can list.
void add_plans(ProgramShape& program, const std::filesystem::path& data_directory) {
  for (CommandShape& command : program.commands) {
    if (command.name == "run") command.positionals.front().values.words = bundled_plans(data_directory);
  }
}

class CompletionCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    program_ = &program;
    CLI::App* app = program.add_subcommand("completion", "print a script that makes a shell complete this command");
    CLI::Option* shell = app->add_option("shell", shell_, "bash, zsh or fish");
    describe_values(*shell->required(), "bash|zsh|fish");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    for (const auto& [name, maker] : kShells) {
      if (shell_ != name) continue;
      ProgramShape shape = shape_of(*program_);
      add_plans(shape, context.data_directory);
      write_standard_output(maker(shape));
      return kExitOk;
    }
    throw unknown_value("shell", shell_, shell_names());
  }

 private:
  const CLI::App* program_ = nullptr;  // outlives this object's use
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace transformeter
