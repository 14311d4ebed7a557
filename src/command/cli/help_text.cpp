// Two columns: what to type, and what it does.
#include "cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kWidestHead = 28;     // a longer one gets its own line
constexpr std::size_t kNarrowestText = 24;  // however small the window

constexpr std::array<std::pair<CommandTask, const char*>, 6> kTasks{{{CommandTask::kMeasure, "Measure"},
                                                                     {CommandTask::kResults, "Understand results"},
                                                                     {CommandTask::kModels, "Models and data"},
                                                                     {CommandTask::kTraining, "Training"},
                                                                     {CommandTask::kMachine, "Machine"},
                                                                     {CommandTask::kShell, "Shell"}}};

constexpr UsageExample kFirstSteps[] = {
    {"transformeter doctor", "check what this machine can measure"},
    {"transformeter run", "measure DistilBERT on bundled sentences"},
    {"transformeter report -o report.html", "write a report of the latest run"},
};

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string option_head(const OptionDeclaration& option) {
  if (option.is_positional()) return option.placeholder;
  std::string head = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.placeholder.empty()) head += " " + option.placeholder;
  return head;
}

std::size_t column_of(const Rows& rows) {
  std::size_t widest = 0;
  for (const auto& [head, text] : rows) {
    if (display_width(head) <= kWidestHead) widest = std::max(widest, display_width(head));
  }
  return kMargin + widest + kGap;
}

std::string aligned(const Rows& rows, std::size_t column, std::size_t width) {
  const std::size_t room = std::max(kNarrowestText, width > column ? width - column : 0);
  std::string lines;
  for (const auto& [head, text] : rows) {
    std::string line = std::string(kMargin, ' ') + head;
    const std::size_t used = kMargin + display_width(head);
    if (used + kGap > column) {
      line.append("\n").append(column, ' ');
    } else {
      line.append(column - used, ' ');
    }
    lines += line + wrapped(text, column + room, column, column) + "\n";
  }
  return lines;
}

std::string usage_of(const CommandDeclaration& command) {
  std::string text = "transformeter " + command.name + " [OPTIONS]";
  for (const OptionDeclaration* one : command.positionals()) {
    text += one->is_required ? " " + one->placeholder : fmt::format(" [{}]", one->placeholder);
  }
  return text;
}

std::string example_text(const UsageExample& example, std::size_t width) {
  constexpr std::size_t kIndent = 6;
  std::string text;
  for (const std::string& line : split(example.command, '\n')) {
    text.append(line.starts_with(' ') ? "" : "  ").append(line).append("\n");
  }
  if (*example.explanation == '\0') return text;
  return text + std::string(kIndent, ' ') + wrapped(example.explanation, width, kIndent, kIndent) + "\n";
}

std::string note_text(const char* note, std::size_t width) {
  std::string text;
  for (const std::string& line : split(note, '\n')) {
    text += (line.starts_with(' ') ? line : wrapped(line, width)) + "\n";
  }
  return text;
}

}  // namespace

std::string program_help(const ProgramDeclaration& program, std::size_t width) {
  const auto title = [](const char* text) { return fmt::format("\n{}:\n", text); };
  std::string text = wrapped(capitalized(program.self.summary) + ".", width) + "\n";
  text += "\nUsage: transformeter COMMAND [OPTIONS]\n" + title("Start with");
  Rows steps;
  for (const UsageExample& step : kFirstSteps) steps.emplace_back(step.command, step.explanation);
  text += aligned(steps, kMargin + display_width(steps.back().first) + kGap, width);
  Rows all;
  for (const CommandDeclaration& command : program.commands) all.emplace_back(command.name, command.summary);
  const std::size_t column = column_of(all);
  for (const auto& [task, name] : kTasks) {
    Rows rows;
    for (const CommandDeclaration& command : program.commands) {
      if (command.task == task) rows.emplace_back(command.name, command.summary);
    }
    text += title(name) + aligned(rows, column, width);
  }
  Rows options;
  for (const OptionDeclaration* option : program.self.flags()) {
    options.emplace_back(option_head(*option), full_help(*option));
  }
  text += title("Options") + aligned(options, column_of(options), width);
  return text + "\n" + wrapped("Run `transformeter COMMAND --help` for the options and examples of a command.", width) +
         "\n";
}

std::string command_help(const CommandDeclaration& command, HelpDetail detail, std::size_t width) {
  const auto rows_of = [detail](const std::vector<const OptionDeclaration*>& options) {
    Rows rows;
    for (const OptionDeclaration* one : options) {
      if (one->is_common || detail == HelpDetail::kAll) rows.emplace_back(option_head(*one), full_help(*one));
    }
    return rows;
  };
  const Rows arguments = rows_of(command.positionals());
  const Rows options = rows_of(command.flags());
  Rows all = arguments;  // for one column in all groups
  all.insert(all.end(), options.begin(), options.end());
  const std::size_t column = column_of(all);
  std::string text = wrapped(capitalized(command.summary) + ".", width);
  constexpr std::string_view kUsage = "Usage: ";
  text.append("\n\n").append(kUsage).append(wrapped(usage_of(command), width, 2, kUsage.size())).append("\n");
  if (!arguments.empty()) text += "\nArguments:\n" + aligned(arguments, column, width);
  for (const std::string& group : command.groups()) {
    const Rows rows = rows_of(command.flags_in(group));
    if (rows.empty()) continue;
    text += fmt::format("\n{}:\n", group.empty() ? "Options" : capitalized(group)) + aligned(rows, column, width);
  }
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const UsageExample& example : command.examples) text += example_text(example, width);
  for (const char* note : command.notes) text.append("\n").append(note_text(note, width));
  const std::size_t count = command.flags().size();
  if (options.size() < count) text += fmt::format("\n--help-all shows all {} options.\n", count);
  return text;
}

}  // namespace transformeter
