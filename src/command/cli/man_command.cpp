// `transformeter man`: the manual pages, in roff.
#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/standard_output.h"
#include "schema/status.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter man run | man -l -"},
    {"transformeter man > transformeter.1"},
    {"make man", "write every page to build/man/man1"},
};

class ManCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "man",
            .task = CommandTask::kShell,
            .summary = "print a manual page",
            .options = {{.names = {"command"},
                         .target = &command_,
                         .placeholder = "COMMAND",
                         .help = "the command to describe; default: the program itself"}},
            .examples = kExamples};
  }

  int run(const Context&, const std::atomic<bool>&) override {
    const ProgramDeclaration program = described_program();
    write_standard_output(command_.empty() ? program_page(program) : command_page(command_named(program, command_)));
    return kExitOk;
  }

 private:
  std::string command_;
};

}  // namespace

std::unique_ptr<Command> make_man_command() {
  return std::make_unique<ManCommand>();
}

}  // namespace transformeter
