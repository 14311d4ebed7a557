// The command line as plain data: the parser, --help, completions and manual pages are all made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace transformeter {

struct SettingTerm;  // schema/settings.h

/// What an option prints in place of running a command.
enum class Request { kHelp, kFullHelp, kVersion };

/// Where the parser puts a value; pointers borrow from the command. An optional stays empty when the option is not
/// given, a vector collects every value. The first is what a declaration without a target has; the parser refuses it.
using OptionTarget = std::variant<std::monostate, Request, bool*, std::string*, std::optional<std::string>*,
                                  std::optional<std::int64_t>*, std::vector<std::string>*>;

struct OptionDeclaration {
  std::vector<std::string> names = {};  // "-o", "--output"; a positional has one bare name, "run"
  OptionTarget target = {};
  std::string placeholder = {};         // "FILE.md", "N|auto"; empty for a flag
  std::string help = {};                // one line of at most 100 characters, without the default
  std::string initial = {};             // the default as a user would type it; empty: none, or `help` says it
  std::vector<std::string> words = {};  // values to offer, beside those that the placeholder names
  bool has_only_words = false;          // no others are allowed, so that help lists them
  bool is_list = false;                 // takes a comma list
  bool is_path = false;                 // takes a file or folder, though the placeholder does not say so
  bool is_required = false;
  bool may_be_empty = false;  // takes an empty text too; elsewhere it would pass for not given, and is refused
  bool takes_many = false;    // several values after the name
  std::string excludes = {};  // an option that cannot be given too
  std::string group = {};     // heading in --help; empty: "options"
  bool is_common = true;      // shown by --help, not by --help-all alone

  bool is_positional() const { return !names.front().starts_with('-'); }
  bool takes_value() const;
  bool is_repeated() const;  // takes any number of values
};

/// A command line to copy, and what it does. Further lines of the command are indented by four blanks.
struct UsageExample {
  const char* command = "";
  const char* explanation = "";
};

/// What a command is for: a heading in the list of commands.
enum class CommandTask { kMeasure, kResults, kModels, kTraining, kMachine, kShell };

struct CommandDeclaration {
  std::string name = {};  // "run"; of the program "transformeter"
  CommandTask task = CommandTask::kMeasure;
  std::string summary = {};  // one line, in lower case and without a full stop
  std::vector<OptionDeclaration> options = {};
  std::span<const UsageExample> examples = {};
  std::span<const char* const> notes = {};  // paragraphs; lines that begin with a blank stay as they are

  std::vector<const OptionDeclaration*> positionals() const;
  std::vector<const OptionDeclaration*> flags() const;  // all but the positionals
  /// The words of every option.
  std::vector<std::string> option_names() const;
  /// Headings, in the order of their first options.
  std::vector<std::string> groups() const;
  std::vector<const OptionDeclaration*> flags_in(const std::string& group) const;
};

struct ProgramDeclaration {
  CommandDeclaration self;
  std::vector<CommandDeclaration> commands;
};

/// What shells may complete.
struct OptionValues {
  std::vector<std::string> words;
  bool path = false;
  bool list = false;
};

/// From the option's words and the parts of its placeholder ("FILE|bundled"): PATH, FILE and DIR, also with an ending
/// (PLAN.yaml), are paths, a part in small letters is a word.
OptionValues values_of(const OptionDeclaration& option);

/// The help with what the declaration adds to it: "attention kernel; one of auto, sdpa, eager [auto]".
std::string full_help(const OptionDeclaration& option);

/// Throws Error(kBadInput) with the nearest name for an unknown one.
const CommandDeclaration& command_named(const ProgramDeclaration& program, const std::string& name);

// Options that several commands have.

/// The setting's option as the table declares it, in the group of its topic.
OptionDeclaration setting_option(const SettingTerm& term, OptionTarget target);
/// Positionals first, then options by the topics of settings; groups that are not topics come before measuring.
void sort_by_topic(std::vector<OptionDeclaration>& options);
/// --store; the target gets the default.
OptionDeclaration store_option(std::string& store);
/// The same where a plan may name the store, too: the target stays empty when the option is not given.
OptionDeclaration store_option(std::optional<std::string>& store);
/// The store that was given so, or the default.
std::string store_path(const std::optional<std::string>& store);
/// --worker.
OptionDeclaration worker_option(std::string& worker);
/// The positional RUN of commands that read one run of a store.
OptionDeclaration run_option(std::string& run);

}  // namespace transformeter
