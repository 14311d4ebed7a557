// Parsing flags and stored plans; plan files are in plan_file.cpp.
#include "run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "run/plan_values.h"
#include "schema/scenario.h"
#include "schema/settings.h"
#include "spec/presets.h"

namespace transformeter {

std::vector<Json> parse_plan_values(const SettingTerm& term, const std::vector<std::string>& texts) {
  if (texts.empty()) throw bad_value(term.name, "[]", "at least one value", "Omit the setting to use its default.");
  if (texts.size() > 1 && !term.is_axis) {
    throw bad_value(term.name, fmt::format("{}", fmt::join(texts, ",")), "one value", "This setting cannot be varied.");
  }
  std::vector<Json> values;
  std::set<Json> seen;  // a file may list a hundred thousand
  for (const std::string& text : texts) {
    Json value = parse_setting(term, text);
    if (!seen.insert(value).second) {
      throw refused_value(term.name, text, "it is in the list already", "List each value once.");
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<std::string> split_plan_text(const SettingTerm& term, std::string_view text) {
  if (term.is_axis) return split(text, ',');
  // A list of counts or words is a likely slip and gets its own message.
  const bool may_hold_commas = term.kind == SettingKind::kText || term.kind == SettingKind::kBaseline;
  const bool looks_like_list = !may_hold_commas && text.find(',') != std::string_view::npos;
  return looks_like_list ? split(text, ',') : std::vector<std::string>{std::string(text)};
}

std::span<const SettingDefault> training_defaults() {
  static constexpr SettingDefault kDefaults[] = {{"batch_size", "8"}, {"sequence_length", "128"}};
  return kDefaults;
}

Plan::Plan() {
  for (const SettingTerm& term : setting_terms()) {
    if (term.initial.empty()) continue;
    entries_[std::string(term.name)] = {parse_plan_values(term, split_plan_text(term, term.initial)), "default"};
  }
}

void Plan::apply_flag(std::string_view name, std::string_view text) {
  const SettingTerm& term = setting_term(name);
  entries_[std::string(name)] = {parse_plan_values(term, split_plan_text(term, text)), "flag"};
}

void Plan::replace_values(std::string_view name, const std::function<Json(const Json&)>& replacement) {
  std::vector<Json> values;
  for (const Json& value : at(name).values) {
    Json other = replacement(value);
    if (std::find(values.begin(), values.end(), other) == values.end()) values.push_back(std::move(other));
  }
  entries_.find(name)->second.values = std::move(values);
}

void Plan::settle() {
  replace_values("model", [](const Json& model) -> Json { return typed_preset(model.get<std::string>()); });
  constexpr int kReplicatesToCompare = 3;  // rule 8: fewer hold too little variance between processes
  PlanEntry& replicates = entries_.at("replicates");
  if (has("baseline") && replicates.origin == "default") replicates = {{kReplicatesToCompare}, "baseline"};
  if (at("scenario").values == std::vector<Json>{Scenario::kTrain}) settle_training();
}

void Plan::settle_training() {
  for (const auto& [name, text] : training_defaults()) {
    PlanEntry& entry = entries_.find(name)->second;
    if (entry.origin != "default") continue;
    const SettingTerm& term = setting_term(name);
    entry = {parse_plan_values(term, split_plan_text(term, text)), "scenario"};
  }
}

const PlanEntry& Plan::at(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw Error(ErrorKind::kInternal, fmt::format("the plan has no setting '{}'", name));
  return found->second;
}

const Json& Plan::value(std::string_view name) const {
  const PlanEntry& entry = at(name);
  if (entry.values.size() != 1) throw Error(ErrorKind::kInternal, fmt::format("'{}' has several values", name));
  return entry.values.front();
}

std::string Plan::text_or(std::string_view name, std::string_view otherwise) const {
  return has(name) ? value(name).get<std::string>() : std::string(otherwise);
}

std::optional<double> Plan::number(std::string_view name) const {
  if (!has(name) || !value(name).is_number()) return std::nullopt;
  return value(name).get<double>();
}

Json Plan::to_json() const {
  Json json = Json::object();
  for (const auto& [name, entry] : entries_) json[name] = {{"values", entry.values}, {"origin", entry.origin}};
  return json;
}

Plan Plan::from_json(const Json& json) {
  Plan plan;
  plan.entries_.clear();
  try {
    for (const auto& [name, entry] : json.items()) {
      setting_term(name);
      plan.entries_[name] = {entry.at("values").get<std::vector<Json>>(), entry.at("origin").get<std::string>()};
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("the stored plan cannot be read: {}", error.what()));
  }
  return plan;
}

}  // namespace transformeter
