// CLI11 takes long to compile: nothing else includes it.
#include "cli/parse_command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr int kMaxValues = 100'000;

// The parser would take the next argument for the value of "--name=".
void check_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("option '{}' needs a value after the equals sign. Omit it to use its default.", argument));
  }
}

// Options of a CLI11 app from declarations: one overload for each kind of target.
struct OptionAdder {
  CLI::App& app;
  const OptionDeclaration& option;
  std::string names;

  CLI::Option* operator()(std::monostate) const {
    throw Error(ErrorKind::kInternal, fmt::format("the option {} has no target", names));
  }
  CLI::Option* operator()(Request request) const {
    if (request == Request::kHelp) return app.set_help_flag(names, option.help);
    if (request == Request::kFullHelp) return app.set_help_all_flag(names, option.help);
    return app.set_version_flag(names, std::string(), option.help);
  }
  CLI::Option* operator()(bool* target) const { return app.add_flag(names, *target, option.help); }
  CLI::Option* operator()(std::string* target) const { return app.add_option(names, *target, option.help); }
  // CLI11 would take an empty text for no value.
  CLI::Option* operator()(std::optional<std::string>* target) const {
    return app.add_option_function<std::string>(
        names, [target](const std::string& text) { *target = text; }, option.help);
  }
  CLI::Option* operator()(std::optional<std::int64_t>* target) const {
    const auto read = [target, name = option.names.front()](const std::string& text) {
      const auto number = parse_integer(text);
      if (!number) throw bad_value(name, text, "a whole number");
      *target = *number;
    };
    return app.add_option_function<std::string>(names, read, option.help);
  }
  // CLI11's unlimited lists would take "[MASK]" for a list of its own.
  CLI::Option* operator()(std::vector<std::string>* target) const {
    CLI::Option* added = app.add_option(names, *target, option.help);
    if (option.is_positional()) return added;
    if (option.takes_many) added->expected(1, kMaxValues);
    return added->allow_extra_args(false);
  }
};

// Most often a shell variable that was never set.
void refuse_empty(CLI::Option& added, const OptionDeclaration& option) {
  const std::string name = option.is_positional() ? option.placeholder : option.names.back();
  const auto check = [name, is_required = option.is_required](const std::string& text) {
    if (!text.empty()) return std::string();
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} is empty; give it a value{}", name, is_required ? "." : ", or omit it."));
  };
  added.check(check);
}

void declare(CLI::App& app, const CommandDeclaration& command) {
  std::vector<std::pair<CLI::Option*, std::string>> exclusions;
  for (const OptionDeclaration& option : command.options) {
    const OptionAdder adder{app, option, fmt::format("{}", fmt::join(option.names, ","))};
    CLI::Option* added = std::visit(adder, option.target);
    if (option.takes_value()) added->type_name(option.placeholder);  // for CLI11's errors
    if (option.takes_value() && !option.may_be_empty) refuse_empty(*added, option);
    if (option.is_required) added->required();
    if (!option.excludes.empty()) exclusions.emplace_back(added, option.excludes);
  }
  for (const auto& [option, other] : exclusions) option->excludes(other);
}

// "option '--sotre' is not known. Did you mean '--store'?" for the first argument that `app` does not expect; empty
// when there is none. It is reported before a missing option, which it may be a misspelling of.
std::string unknown_word(const CLI::App& app, const ProgramDeclaration& program, const CommandDeclaration& command) {
  const std::vector<std::string> words = app.remaining();
  const auto first = std::find_if(words.begin(), words.end(), [](const std::string& word) { return word != "--"; });
  if (first == words.end()) return "";
  const bool is_option = first->starts_with('-');
  const std::string word = is_option ? first->substr(0, first->find('=')) : *first;
  std::vector<std::string> known;
  if (is_option) {
    known = command.option_names();
  } else if (&command == &program.self) {
    for (const CommandDeclaration& one : program.commands) known.push_back(one.name);
  }
  if (known.empty()) return fmt::format("unexpected argument '{}'.", word);
  const auto near = nearest(word, known);
  return fmt::format("{} '{}' is not known.{}", is_option ? "option" : "command", word,
                     near ? fmt::format(" Did you mean '{}'?", *near) : "");
}

// CLI11's message in our words.
std::string plain_message(const CLI::ParseError& error, const CommandDeclaration& command) {
  const std::string text(trim(error.what()));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {  // "--store: 1 required PATH missing"
    const bool is_twice = text.find("At Most") != std::string::npos;
    return fmt::format("{} {}.", text.substr(0, text.find(':')),
                       is_twice ? "is given more than once" : "needs a value");
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {  // "--data excludes --text"
    constexpr std::string_view kVerb = " excludes ";
    const std::size_t at = text.find(kVerb);
    if (at != std::string::npos) {
      return fmt::format("cannot combine {} with {}.", text.substr(0, at), text.substr(at + kVerb.size()));
    }
  }
  for (const OptionDeclaration* one : command.positionals()) {
    if (text == one->names.front() + " is required") return fmt::format("{} is required.", one->placeholder);
  }
  return fmt::format("{}.", text);
}

class Parser {
 public:
  explicit Parser(const ProgramDeclaration& program) : program_(program), app_(program.self.summary, "transformeter") {
    declare(app_, program.self);
    app_.require_subcommand(0, 1);
    for (const CommandDeclaration& command : program.commands) {
      CLI::App* app = app_.add_subcommand(command.name, command.summary);
      declare(*app, command);
      commands_.push_back(app);
    }
  }

  ParsedCommandLine parse(int argc, const char* const* argv) {
    std::optional<Request> request;
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForAllHelp&) {
      request = Request::kFullHelp;
    } catch (const CLI::CallForHelp&) {
      request = Request::kHelp;
    } catch (const CLI::CallForVersion&) {
      request = Request::kVersion;
    } catch (const CLI::ParseError& error) {
      throw refusal(error);
    }
    const std::optional<std::size_t> command = chosen();
    if (!command && !request) request = Request::kHelp;
    return {command, request};
  }

 private:
  std::optional<std::size_t> chosen() const {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (commands_[i]->parsed()) return i;
    }
    return std::nullopt;
  }

  Error refusal(const CLI::ParseError& error) const {
    const std::optional<std::size_t> index = app_.remaining().empty() ? chosen() : std::nullopt;
    const CommandDeclaration& command = index ? program_.commands[*index] : program_.self;
    std::string problem = unknown_word(index ? *commands_[*index] : app_, program_, command);
    if (problem.empty()) problem = plain_message(error, command);
    const std::string name = index ? "transformeter " + command.name : "transformeter";
    return Error(ErrorKind::kBadInput, fmt::format("{} See '{} --help'.", problem, name));
  }

  const ProgramDeclaration& program_;
  CLI::App app_;
  std::vector<CLI::App*> commands_;  // of app_, in the program's order
};

}  // namespace

ParsedCommandLine parse_command_line(const ProgramDeclaration& program, int argc, const char* const* argv) {
  check_values(argc, argv);
  return Parser(program).parse(argc, argv);
}

}  // namespace transformeter
