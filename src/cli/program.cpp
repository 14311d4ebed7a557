// Parses the command line, runs one subcommand, and is the only place that maps errors to exit codes.
#include "cli/program.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "terms/status.h"

namespace transformeter {
namespace {

void print_error(std::string_view message) {
  fmt::print(stderr, "transformeter: {}\n", message);
}

// " Did you mean '--batch-size'?" for the first argument that looks like an option and is none.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back("--" + option->get_single_name());
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument(argv[i], std::string_view(argv[i]).find('=') == std::string_view::npos
                                            ? std::string_view(argv[i]).size()
                                            : std::string_view(argv[i]).find('='));
    const std::vector<std::string>& known = argument.starts_with("--") ? names : commands;
    if (std::find(known.begin(), known.end(), argument) != known.end()) continue;
    if (const auto near = nearest(argument, known)) return fmt::format(" Did you mean '{}'?", *near);
  }
  return "";
}

// The parser would take the next argument for the value of "--name=".
void check_values(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    throw bad_value("option", argument, "a value after the equals sign", "Leave the option out for its default.");
  }
}

const CLI::App& chosen(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
  const CLI::App& asked = chosen(app);
  const std::string name = &asked == &app ? "transformeter" : "transformeter " + asked.get_name();
  print_error(fmt::format("{}.{} See '{} --help'.", trim(error.what()), suggestion(asked, argc, argv), name));
  return kExitBadInput;
}

int exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kInterrupted:
      return kExitInterrupted;
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
    fmt::print(stderr, "transformeter: {}{}\n", level == LogLevel::kWarning ? "warning: " : "", message);
  };
  return {clock, log, directory, bundled_data_directory(directory)};
}

int parse_and_run(int argc, char** argv) {
  check_values(argc, argv);
  CLI::App app("Measures what a Transformer model costs: time, memory and accuracy, on this machine.", "transformeter");
  app.set_version_flag("--version", std::string(trim(version_text("transformeter"))));
  app.require_subcommand(1);
  app.footer("Each subcommand has its own --help with examples.");
  const std::vector<std::unique_ptr<Command>> commands = builtin_commands();
  std::vector<CLI::App*> subcommands;
  for (const auto& command : commands) subcommands.push_back(command->declare(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, argc, argv);
  }
  const SystemClock clock;
  const Context context = make_context(clock);
  const std::atomic<bool>& interrupt = catch_interrupts();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (subcommands[i]->parsed()) return commands[i]->run(context, interrupt);
  }
  return kExitBadInput;
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return kExitFault;
  } catch (const std::exception& error) {
    print_error(fmt::format("internal error: {}", error.what()));
    return kExitFault;
  }
}

}  // namespace transformeter
