// man(7) macros; every text is escaped, so that nothing in it acts as a request.
#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"

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

std::string option_entry(const OptionShape& option) {
  std::string names;
  for (const std::string& name : option.names) {
    if (!names.empty()) names += ", ";
    names += "\\fB" + escaped(name) + "\\fR";
  }
  if (option.names.front().front() != '-') names.clear();  // a positional is its placeholder
  if (!option.placeholder.empty()) names += (names.empty() ? "\\fI" : " \\fI") + escaped(option.placeholder) + "\\fR";
  std::string text = ".TP\n" + names + "\n" + line_of(option.help);
  if (option.placeholder.find("PRESET") != std::string::npos) {
    text += ".br\n" + line_of(fmt::format("Presets: {}.", fmt::join(option.values.words, ", ")));
  }
  return text;
}

std::string options_section(const CommandShape& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionShape& option : command.positionals) text += option_entry(option);
  for (const OptionShape& option : command.options) text += option_entry(option);
  return text;
}

// By their indent: commands, their continuations and what explains them. Commands stand as they are, explanations are
// filled to the page's width.
std::string example_lines(const std::vector<std::string>& lines) {
  std::string text;
  bool explains = false;
  for (const std::string& line : lines) {
    const bool is_explanation = line.starts_with("      ");
    if (is_explanation != explains) text += is_explanation ? ".RS 4\n" : ".RE\n";
    explains = is_explanation;
    if (is_explanation) {
      text += line_of(trim(line));
    } else {
      const bool goes_on = line.starts_with("    ");
      text += (goes_on ? "" : ".PP\n") + std::string(".nf\n") + (goes_on ? "    " : "") + line_of(trim(line)) + ".fi\n";
    }
  }
  return explains ? text + ".RE\n" : text;
}

// A paragraph of remarks; indented lines in it are laid out by hand.
std::string note_lines(const std::vector<std::string>& lines) {
  std::string text = ".PP\n";
  for (const std::string& line : lines) {
    const bool is_laid_out = line.starts_with(" ");
    text += is_laid_out ? ".br\n" + line_of(line) : line_of(line);
  }
  return text;
}

// The footer's paragraphs: the examples first, then remarks.
std::string footer_section(const std::string& footer) {
  std::vector<std::vector<std::string>> paragraphs(1);
  for (const std::string& line : split(footer, '\n')) {
    if (line.empty()) {
      paragraphs.emplace_back();
    } else {
      paragraphs.back().push_back(line);
    }
  }
  std::string text;
  for (std::vector<std::string>& lines : paragraphs) {
    if (lines.empty()) continue;
    if (lines.front() == "Examples:") {
      lines.erase(lines.begin());
      text += ".SH EXAMPLES\n" + example_lines(lines);
    } else {
      if (text.find(".SH NOTES") == std::string::npos) text += ".SH NOTES\n";
      text += note_lines(lines);
    }
  }
  return text;
}

// "OUT IN...", "[RUN...]": brackets where the command does without it. A placeholder may have them of its own.
std::string synopsis_of(const OptionShape& positional) {
  const std::string_view placeholder = positional.placeholder;
  const bool is_bracketed = placeholder.starts_with('[') && placeholder.ends_with(']');
  const std::string plain(is_bracketed ? placeholder.substr(1, placeholder.size() - 2) : placeholder);
  return positional.is_required ? "\\fI" + escaped(plain) + "\\fR" : "[\\fI" + escaped(plain) + "\\fR]";
}

std::string see_also(const std::vector<std::string>& pages) {
  std::vector<std::string> references;
  for (const std::string& page : pages) references.push_back(fmt::format(".BR {} (1)", escaped(page)));
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(references, " ,\n"));
}

}  // namespace

std::string program_page(const ProgramShape& program) {
  std::string text = head("transformeter", "transformeter", program.self.help);
  text += ".SH SYNOPSIS\n.B transformeter\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const CommandShape& command : program.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", escaped(command.name), line_of(command.help));
    pages.push_back("transformeter-" + command.name);
  }
  return text + options_section(program.self) + see_also(pages);
}

std::string command_page(const CommandShape& command) {
  const std::string name = "transformeter-" + command.name;
  std::string text = head(name, name, command.help);
  text += fmt::format(".SH SYNOPSIS\n.B transformeter {}\n[\\fIOPTIONS\\fR]", escaped(command.name));
  for (const OptionShape& option : command.positionals) text += " " + synopsis_of(option);
  return text + "\n" + options_section(command) + footer_section(command.footer) + see_also({"transformeter"});
}

}  // namespace transformeter
