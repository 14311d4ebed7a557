// Parses the command line, runs one subcommand, and is the only place that maps errors to exit codes.
#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/interrupt.h"
#include "cli/parse_command_line.h"
#include "cli/standard_output.h"
#include "cli/terminal.h"
#include "report/display_text.h"
#include "schema/status.h"

namespace transformeter {
namespace {

// Messages quote arguments and files; nothing of them may steer the terminal.
void print_message(std::string_view message) {
  // fmt::print throws when standard error is a full disk, and an error handler is no place to throw from.
  std::fputs(fmt::format("transformeter: {}\n", one_line(message)).c_str(), stderr);
}

int exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kInterrupted:
      return kExitInterrupted;
    case ErrorKind::kDiverged:
    case ErrorKind::kInternal:
    case ErrorKind::kProtocol:
    case ErrorKind::kTimeout:
    case ErrorKind::kOutOfMemory:
      return kExitFault;
    default:
      return kExitBadInput;
  }
}

Context make_context(const Clock& clock) {
  const std::filesystem::path directory = running_program_directory();
  const auto log = [](LogLevel level, std::string_view message) {
    print_message(fmt::format("{}{}", level == LogLevel::kWarning ? "warning: " : "", message));
  };
  return {clock, log, directory, bundled_data_directory(directory), user_cache_directory()};
}

std::size_t help_width() {
  constexpr std::size_t kWidest = 100;
  constexpr std::size_t kNarrowest = 40;
  const Terminal terminal = terminal_at(stdout);
  return terminal.is_terminal ? std::clamp(terminal.width, kNarrowest, kWidest) : kWidest;
}

std::string requested_text(const ProgramDeclaration& program, const ParsedCommandLine& parsed) {
  if (*parsed.request == Request::kVersion) return fmt::format("{}\n", trim(version_text("transformeter")));
  if (!parsed.command) return program_help(program, help_width());
  const HelpDetail detail = *parsed.request == Request::kFullHelp ? HelpDetail::kAll : HelpDetail::kCommon;
  return command_help(program.commands[*parsed.command], detail, help_width());
}

int parse_and_run(int argc, char** argv) {
  const std::vector<std::unique_ptr<Command>> commands = builtin_commands();
  const ProgramDeclaration program = declare_program(commands);
  const ParsedCommandLine parsed = parse_command_line(program, argc, argv);
  if (parsed.request) {
    write_standard_output(requested_text(program, parsed));
    return kExitOk;
  }
  const SystemClock clock;
  const Context context = make_context(clock);
  return commands[*parsed.command]->run(context, catch_interrupts());
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    print_message(error.what());
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    print_message("out of memory");
    return kExitFault;
  } catch (const std::exception& error) {
    print_message(fmt::format("internal error: {}", error.what()));
    return kExitFault;
  }
}

}  // namespace transformeter
