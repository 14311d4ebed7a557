// CLI11 keeps a default per option, as text, that nothing shows once a placeholder is set and that our members' own
// defaults leave empty: the values travel there as JSON, so that they need no table of their own.
#include "cli/option_values.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "spec/presets.h"

namespace transformeter {
namespace {

bool is_path(std::string_view part) {
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

}  // namespace

void describe_values(CLI::Option& option, std::string_view placeholder, OptionValues further) {
  for (const std::string& part : split(placeholder, '|')) {
    further.path = further.path || is_path(part);
    if (is_word(part)) add_word(further.words, part);
  }
  option.option_text(std::string(placeholder));
  option.type_name(std::string(placeholder));  // for CLI11's own errors
  option.default_str(Json{{"words", further.words}, {"path", further.path}, {"list", further.list}}.dump());
}

void describe_values(CLI::Option& option, const SettingTerm& term) {
  OptionValues values;
  values.words = setting_words(term);
  values.list = term.is_axis;
  if (term.name == "model") values.words = preset_names();
  describe_values(option, term.placeholder, std::move(values));
}

OptionValues values_of(const CLI::Option& option) {
  const Json json = Json::parse(option.get_default_str(), nullptr, false);
  if (!json.is_object()) return {};  // a flag, or an option without values to offer
  return {json.at("words").get<std::vector<std::string>>(), json.at("path").get<bool>(), json.at("list").get<bool>()};
}

}  // namespace transformeter
