// {"version": 1, "choices": {KEY: choice}}; changed under a lock, for searches may end at once.
#include "tuning/kept_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/kept_file.h"

namespace transformeter {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMostChoices = 500;

using Choices = std::map<std::string, EngineChoice>;  // by key

constexpr std::array<std::pair<SearchEnd, std::string_view>, 6> kEnds{{{SearchEnd::kBetter, "better"},
                                                                       {SearchEnd::kLikelyBetter, "likely_better"},
                                                                       {SearchEnd::kNoBetter, "no_better"},
                                                                       {SearchEnd::kOutOfTime, "out_of_time"},
                                                                       {SearchEnd::kNoRoom, "no_room"},
                                                                       {SearchEnd::kNoStart, "no_start"}}};

std::filesystem::path file_of(const std::filesystem::path& cache, const std::string& fingerprint) {
  return cache / "engines" / (fingerprint + ".json");
}

Choices choices_in(const Json& file) {
  try {
    return file.is_null() ? Choices() : file.at("choices").get<Choices>();
  } catch (const Json::exception&) {
    return {};
  } catch (const Error&) {
    return {};
  }
}

SearchEnd end_from_name(std::string_view text) {
  for (const auto& [end, name] : kEnds) {
    if (name == text) return end;
  }
  throw Error(ErrorKind::kBadInput, fmt::format("end '{}' is not known", text));
}

void drop_oldest(Choices& choices) {
  const auto oldest = std::min_element(choices.begin(), choices.end(), [](const auto& left, const auto& right) {
    return left.second.tried_at < right.second.tried_at;
  });
  choices.erase(oldest);
}

}  // namespace

std::string_view name_of(SearchEnd end) {
  for (const auto& [known, name] : kEnds) {
    if (known == end) return name;
  }
  return "out_of_time";
}

void to_json(Json& json, const EngineChoice& choice) {
  json = {{"start", choice.start},
          {"changes", choice.changes},
          {"end", name_of(choice.end)},
          {"reason", choice.reason},
          {"objective", choice.objective},
          {"speed_up", nullptr},
          {"memory_ratio", choice.memory_ratio ? Json(*choice.memory_ratio) : Json()},
          {"tried", choice.tried},
          {"all_compared", choice.all_compared},
          {"trial_time_s", choice.trial_time_s},
          {"runs", choice.runs},
          {"tried_at", choice.tried_at},
          {"what", choice.what}};
  if (choice.speed_up) {
    json["speed_up"] = {
        {"value", choice.speed_up->value}, {"low", choice.speed_up->low}, {"high", choice.speed_up->high}};
  }
}

void from_json(const Json& json, EngineChoice& choice) {
  json.at("start").get_to(choice.start);
  choice.changes = json.at("changes");
  choice.end = end_from_name(json.at("end").get<std::string>());
  json.at("reason").get_to(choice.reason);
  json.at("objective").get_to(choice.objective);
  if (const Json& speed_up = json.at("speed_up"); !speed_up.is_null()) {
    choice.speed_up = Quotient{speed_up.at("value").get<double>(), speed_up.at("low").get<double>(),
                               speed_up.at("high").get<double>()};
  }
  if (const Json& ratio = json.at("memory_ratio"); !ratio.is_null()) choice.memory_ratio = ratio.get<double>();
  json.at("tried").get_to(choice.tried);
  json.at("all_compared").get_to(choice.all_compared);
  json.at("trial_time_s").get_to(choice.trial_time_s);
  json.at("runs").get_to(choice.runs);
  json.at("tried_at").get_to(choice.tried_at);
  json.at("what").get_to(choice.what);
  const bool has_gain = choice.objective == "memory" ? choice.memory_ratio.has_value() : choice.speed_up.has_value();
  const bool needs_gain = choice.end == SearchEnd::kBetter || choice.end == SearchEnd::kLikelyBetter;
  if (!choice.changes.is_object() || (needs_gain && !has_gain)) {
    throw Error(ErrorKind::kBadInput, "a choice of engine auto without changes or gain");
  }
}

std::optional<EngineChoice> kept_engine(const std::filesystem::path& cache, const std::string& fingerprint,
                                        const std::string& key) {
  if (cache.empty()) return std::nullopt;
  Choices choices = choices_in(read_kept_file(file_of(cache, fingerprint), kVersion));
  const auto found = choices.find(key);
  return found == choices.end() ? std::nullopt : std::optional(std::move(found->second));
}

void keep_engine(const std::filesystem::path& cache, const std::string& fingerprint, const std::string& key,
                 const EngineChoice& choice, const Log& log) {
  if (cache.empty()) return;
  const auto why_not = change_kept_file(file_of(cache, fingerprint), kVersion, [&](const Json& present) -> Json {
    Choices choices = choices_in(present);
    choices[key] = choice;
    while (choices.size() > kMostChoices) drop_oldest(choices);
    return {{"choices", choices}};
  });
  // A cache is worth no run.
  if (why_not) log(LogLevel::kWarning, fmt::format("the choice of engine auto is not kept: {}", *why_not));
}

}  // namespace transformeter
