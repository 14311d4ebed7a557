// What declarations imply.
#include "cli/declaration.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "schema/settings.h"
#include "spec/presets.h"

namespace transformeter {
namespace {

bool is_path_part(std::string_view part) {
  const std::string_view stem = part.substr(0, part.find('.'));
  return stem == "PATH" || stem == "FILE" || stem == "DIR" || (stem.size() != part.size() && !stem.empty());
}

bool is_word(std::string_view part) {
  return !part.empty() && part != "-" &&
         std::all_of(part.begin(), part.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; });
}

void add_word(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// As a word of its own.
bool mentions(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

std::vector<std::string> placeholder_parts(const OptionDeclaration& option) {
  std::string_view placeholder = option.placeholder;
  for (const std::string_view ending : {",...", "..."}) {
    if (placeholder.ends_with(ending)) placeholder.remove_suffix(ending.size());
  }
  return split(placeholder, '|');
}

// Commands with few options show them in one group.
OptionDeclaration ungrouped(OptionDeclaration option) {
  option.group.clear();
  option.is_common = true;
  return option;
}

}  // namespace

bool OptionDeclaration::takes_value() const {
  return !std::holds_alternative<std::monostate>(target) && !std::holds_alternative<Request>(target) &&
         !std::holds_alternative<bool*>(target);
}

bool OptionDeclaration::is_repeated() const {
  return std::holds_alternative<std::vector<std::string>*>(target);
}

std::vector<const OptionDeclaration*> CommandDeclaration::positionals() const {
  std::vector<const OptionDeclaration*> found;
  for (const OptionDeclaration& option : options) {
    if (option.is_positional()) found.push_back(&option);
  }
  return found;
}

std::vector<const OptionDeclaration*> CommandDeclaration::flags() const {
  std::vector<const OptionDeclaration*> found;
  for (const OptionDeclaration& option : options) {
    if (!option.is_positional()) found.push_back(&option);
  }
  return found;
}

std::vector<std::string> CommandDeclaration::option_names() const {
  std::vector<std::string> all;
  for (const OptionDeclaration* option : flags()) all.insert(all.end(), option->names.begin(), option->names.end());
  return all;
}

std::vector<std::string> CommandDeclaration::groups() const {
  std::vector<std::string> groups;
  for (const OptionDeclaration* option : flags()) add_word(groups, option->group);
  return groups;
}

std::vector<const OptionDeclaration*> CommandDeclaration::flags_in(const std::string& group) const {
  std::vector<const OptionDeclaration*> found = flags();
  std::erase_if(found, [&](const OptionDeclaration* option) { return option->group != group; });
  return found;
}

OptionValues values_of(const OptionDeclaration& option) {
  OptionValues values{option.words, option.is_path, option.is_list};
  if (!option.takes_value()) return values;
  for (const std::string& part : placeholder_parts(option)) {
    values.path = values.path || is_path_part(part);
    if (is_word(part)) add_word(values.words, part);
  }
  return values;
}

std::string full_help(const OptionDeclaration& option) {
  const bool are_shown = std::all_of(option.words.begin(), option.words.end(), [&](const std::string& word) {
    return mentions(option.placeholder, word) || mentions(option.help, word);
  });
  std::string text = option.help;
  if (option.has_only_words && !are_shown) text += fmt::format("; one of {}", fmt::join(option.words, ", "));
  if (!option.initial.empty()) text += fmt::format(" [{}]", option.initial);
  return text;
}

const CommandDeclaration& command_named(const ProgramDeclaration& program, const std::string& name) {
  std::vector<std::string> names;
  for (const CommandDeclaration& command : program.commands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw unknown_value("command", name, names);
}

OptionDeclaration setting_option(const SettingTerm& term, OptionTarget target) {
  return {.names = {flag_of(term.name)},
          .target = target,
          .placeholder = std::string(term.placeholder),
          .help = std::string(term.help),
          .initial = std::string(term.initial),
          .words = term.name == "model" ? preset_names() : setting_words(term),
          .has_only_words = term.kind == SettingKind::kChoice,
          .group = std::string(name_of(term.topic)),
          .is_common = term.is_common};
}

void sort_by_topic(std::vector<OptionDeclaration>& options) {
  const std::vector<std::string> topics = setting_topics();
  const auto place_of = [&](const OptionDeclaration& option) {
    if (option.is_positional()) return std::ptrdiff_t{-1};
    const auto found = std::find(topics.begin(), topics.end(), option.group);
    if (found != topics.end()) return 2 * (found - topics.begin());
    return 2 * static_cast<std::ptrdiff_t>(SettingTopic::kMeasuring) - 1;
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const auto& one, const auto& other) { return place_of(one) < place_of(other); });
}

OptionDeclaration store_option(std::string& store) {
  const SettingTerm& term = setting_term("store");
  store = term.initial;
  return ungrouped(setting_option(term, &store));
}

OptionDeclaration store_option(std::optional<std::string>& store) {
  return ungrouped(setting_option(setting_term("store"), &store));
}

std::string store_path(const std::optional<std::string>& store) {
  return store.value_or(std::string(setting_term("store").initial));
}

OptionDeclaration worker_option(std::string& worker) {
  return ungrouped(setting_option(setting_term("worker"), &worker));
}

OptionDeclaration run_option(std::string& run) {
  return {.names = {"run"},
          .target = &run,
          .placeholder = "RUN",
          .help = "run id, start of an id, or name; default: the latest run"};
}

}  // namespace transformeter
