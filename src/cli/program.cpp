// Parses the command line, runs one subcommand, and is the only place that maps errors to exit codes.
#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/standard_output.h"
#include "report/display_text.h"
#include "terms/status.h"

namespace transformeter {
namespace {

// Messages quote arguments and files; nothing of them may steer the terminal.
void print_message(std::string_view message) {
  // fmt::print throws when standard error is a full disk, and an error handler is no place to throw from.
  std::fputs(fmt::format("transformeter: {}\n", one_line(message)).c_str(), stderr);
}

std::vector<std::string> known_words(const CLI::App& app, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      words.push_back(command->get_name());
    }
  }
  return words;
}

// The first argument that `app` has no place for, "option '--sotre' is not known. Did you mean '--store'?"; empty when
// all have one. What else is missing may well be what this word was to say.
std::string unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  const auto first = std::find_if(words.begin(), words.end(), [](const std::string& word) { return word != "--"; });
  if (first == words.end()) return "";
  const bool is_option = first->starts_with('-');
  const std::string word = is_option ? first->substr(0, first->find('=')) : *first;
  const std::vector<std::string> known = known_words(app, is_option);
  const char* what = is_option ? "option" : "command";
  if (known.empty()) return fmt::format("argument '{}' has no place here.", word);
  const auto near = nearest(word, known);
  return fmt::format("{} '{}' is not known.{}", what, word, near ? fmt::format(" Did you mean '{}'?", *near) : "");
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

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help and --version
    std::ostringstream text;
    const int code = app.exit(error, text, text);
    write_standard_output(text.str());
    return code;
  }
  const CLI::App& asked = app.remaining().empty() ? chosen(app) : app;
  const std::string name = &asked == &app ? "transformeter" : "transformeter " + asked.get_name();
  std::string problem = unknown_word(asked);
  if (problem.empty()) problem = fmt::format("{}.", trim(error.what()));
  print_message(fmt::format("{} See '{} --help'.", problem, name));
  return kExitBadInput;
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
    return report_parse_error(app, error);
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
