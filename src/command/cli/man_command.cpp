// `transformeter man`: the manual pages, in roff.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/declaration.h"
#include "cli/standard_output.h"
#include "schema/status.h"

namespace transformeter {
namespace {

std::string escaped(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else {
      plain += c;
    }
  }
  return plain;
}

// A line of text; one that begins with a control character is shielded.
std::string line_of(std::string_view text) {
  const bool shielded = !text.empty() && (text.front() == '.' || text.front() == '\'');
  return (shielded ? "\\&" : "") + escaped(text) + "\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  return text;
}

std::string head(const std::string& title, const std::string& name, const std::string& help) {
  return fmt::format(".TH {} 1 \"\" \"transformeter {}\" \"User Commands\"\n.SH NAME\n{} \\- {}", upper(title),
                     program_version(), escaped(name), line_of(help));
}

std::string option_entry(const OptionDeclaration& option) {
  std::string names;
  for (const std::string& name : option.names) {
    if (!names.empty()) names += ", ";
    names += "\\fB" + escaped(name) + "\\fR";
  }
  if (option.is_positional()) names.clear();  // shown as its placeholder
  if (!option.placeholder.empty()) names += (names.empty() ? "\\fI" : " \\fI") + escaped(option.placeholder) + "\\fR";
  std::string text = ".TP\n" + names + "\n" + line_of(full_help(option));
  if (option.placeholder.find("PRESET") != std::string::npos) {
    text += ".br\n" + line_of(fmt::format("Presets: {}.", fmt::join(option.words, ", ")));
  }
  return text;
}

std::string options_section(const CommandDeclaration& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionDeclaration* option : command.positionals()) text += option_entry(*option);
  for (const std::string& group : command.groups()) {
    if (!group.empty()) text += ".SS " + escaped(group) + "\n";
    for (const OptionDeclaration* option : command.flags_in(group)) text += option_entry(*option);
  }
  return text;
}

// Commands are kept as they are, explanations are filled to the page's width.
std::string examples_section(std::span<const UsageExample> examples) {
  if (examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n";
  for (const UsageExample& example : examples) {
    text += ".PP\n.nf\n";
    for (const std::string& line : split(example.command, '\n')) text += line_of(line);
    text += ".fi\n";
    if (*example.explanation != '\0') text += ".RS 4\n" + line_of(example.explanation) + ".RE\n";
  }
  return text;
}

// Indented lines are laid out by hand.
std::string notes_section(std::span<const char* const> notes) {
  std::string text = notes.empty() ? "" : ".SH NOTES\n";
  for (const char* note : notes) {
    text += ".PP\n";
    for (const std::string& line : split(note, '\n')) {
      text += line.starts_with(' ') ? ".br\n" + line_of(line) : line_of(line);
    }
  }
  return text;
}

// "OUT IN...", "[RUN...]": brackets where the command does without it.
std::string synopsis_of(const OptionDeclaration& positional) {
  const std::string& plain = positional.placeholder;
  return positional.is_required ? "\\fI" + escaped(plain) + "\\fR" : "[\\fI" + escaped(plain) + "\\fR]";
}

std::string see_also(const std::vector<std::string>& pages) {
  std::vector<std::string> references;
  for (const std::string& page : pages) references.push_back(fmt::format(".BR {} (1)", escaped(page)));
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(references, " ,\n"));
}

// transformeter(1): the subcommands and the program's own options.
std::string program_page(const ProgramDeclaration& program) {
  std::string text = head("transformeter", "transformeter", program.self.summary);
  text += ".SH SYNOPSIS\n.B transformeter\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const CommandDeclaration& command : program.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", escaped(command.name), line_of(command.summary));
    pages.push_back("transformeter-" + command.name);
  }
  return text + options_section(program.self) + see_also(pages);
}

// transformeter-COMMAND(1).
std::string command_page(const CommandDeclaration& command) {
  const std::string name = "transformeter-" + command.name;
  std::string text = head(name, name, command.summary);
  text += fmt::format(".SH SYNOPSIS\n.B transformeter {}\n[\\fIOPTIONS\\fR]", escaped(command.name));
  for (const OptionDeclaration* option : command.positionals()) text.append(" ").append(synopsis_of(*option));
  return text + "\n" + options_section(command) + examples_section(command.examples) + notes_section(command.notes) +
         see_also({"transformeter"});
}

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
