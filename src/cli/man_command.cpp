// `transformeter man`: the manual pages, in roff.
#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/option_values.h"
#include "cli/standard_output.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter man run | man -l -
  transformeter man > transformeter.1
  make man
      every page into build/man/man1)";

class ManCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    program_ = &program;
    CLI::App* app = program.add_subcommand("man", "print a manual page");
    OptionValues commands;
    for (const CommandShape& command : shape_of(program).commands) commands.words.push_back(command.name);
    describe_values(*app->add_option("command", command_, "a subcommand; default: the program's own page"), "COMMAND",
                    std::move(commands));
    app->footer(kExamples);
    return app;
  }

  int run(const Context&, const std::atomic<bool>&) override {
    const ProgramShape program = shape_of(*program_);
    write_standard_output(command_.empty() ? program_page(program) : command_page(command_named(program, command_)));
    return kExitOk;
  }

 private:
  const CLI::App* program_ = nullptr;  // outlives this object's use
  std::string command_;
};

}  // namespace

std::unique_ptr<Command> make_man_command() {
  return std::make_unique<ManCommand>();
}

}  // namespace transformeter
