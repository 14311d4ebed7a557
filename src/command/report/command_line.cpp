// Only declared settings are written, in the order of the help.
#include "report/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/case_label.h"
#include "report/display_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
}

bool is_plain_ascii(char c) {
  return c >= 0x20 && c < 0x7F;
}

Json values_of_cases(std::string_view setting, const std::vector<const CaseRecord*>& cases) {
  Json values = Json::array();
  for (const CaseRecord* one : cases) {
    const Json value = one->requested.is_object() ? one->requested.value(std::string(setting), Json()) : Json();
    if (!value.is_null() && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

std::vector<std::string> value_texts(const Json& setting) {
  std::vector<std::string> texts;
  if (!setting.is_object() || !setting.contains("values") || !setting.at("values").is_array()) return texts;
  for (const Json& value : setting.at("values")) texts.push_back(setting_text(value));
  return texts;
}

}  // namespace

std::string resume_command(const std::string& run, const std::string& store) {
  return fmt::format("transformeter resume {} --store {}", shell_word(run), shell_word(store));
}

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  if (one_line(text) != text) {  // would not survive a line of the report
    std::string word = "$'";
    for (const char c : text) {
      if (!is_plain_ascii(c)) {
        word.append(fmt::format("\\x{:02x}", static_cast<unsigned char>(c)));
      } else {
        if (c == '\'' || c == '\\') word.push_back('\\');
        word.push_back(c);
      }
    }
    return word.append("'");
  }
  std::string word = "'";
  for (const char c : text) word.append(c == '\'' ? std::string("'\\''") : std::string(1, c));
  return word.append("'");
}

std::string reproduce_command(const RunRecord& run) {
  std::string command = "transformeter run";
  std::string remarks;
  const std::vector<std::string> arms =
      run.settings.is_object() ? value_texts(run.settings.value(kLiveArms, Json())) : std::vector<std::string>();
  if (arms.size() == 2)
    command = fmt::format("transformeter compare --live {} {}", shell_word(arms[0]), shell_word(arms[1]));
  for (const SettingTerm& term : setting_terms()) {
    if (!arms.empty() && is_set_by_live(term.name)) continue;
    const Json setting = run.settings.is_object() ? run.settings.value(std::string(term.name), Json()) : Json();
    if (!setting.is_object() || setting.value("origin", Json()) == "default") continue;
    const std::vector<std::string> texts = value_texts(setting);
    if (texts.empty()) continue;
    if (term.kind == SettingKind::kFlag) {
      if (texts.front() == "true") command.append(" ").append(flag_of(term.name));
      continue;
    }
    const bool has_comma = std::any_of(texts.begin(), texts.end(), [](const auto& t) { return t.find(',') != t.npos; });
    if (term.is_axis && has_comma) {
      remarks.append(fmt::format("\n# a value of {} contains a comma: set it in a plan file", term.name));
    }
    command.append(fmt::format(" {} {}", flag_of(term.name), shell_word(fmt::format("{}", fmt::join(texts, ",")))));
  }
  return command + remarks;
}

std::string measure_again_command(const RunRecord& run, const std::vector<const CaseRecord*>& cases,
                                  std::size_t replicates, const std::string& store) {
  RunRecord again;
  again.settings = run.settings.is_object() ? run.settings : Json::object();
  for (const std::string& setting : varying_settings(run.cases)) {
    Json values = values_of_cases(setting, cases);
    if (!values.empty()) again.settings[setting] = {{"values", std::move(values)}, {"origin", "flag"}};
  }
  // A name means the latest run that has it: the one that is to be gone on with keeps its own.
  if (!run.name.empty()) again.settings["name"] = {{"values", {run.name + "-again"}}, {"origin", "flag"}};
  if (value_texts(again.settings.value("store", Json())) != std::vector{store}) {
    again.settings["store"] = {{"values", {store}}, {"origin", "flag"}};
  }
  again.settings["replicates"] = {{"values", {replicates}}, {"origin", "flag"}};
  return reproduce_command(again);
}

}  // namespace transformeter
