// The table of settings says what each applies to.
#include "run/workload_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "datasets/length_distribution.h"
#include "schema/settings.h"
#include "spec/script_inputs.h"

namespace transformeter {
namespace {

constexpr const char* kDefaultDistribution = "uniform:8:128";

}  // namespace

bool lacks_bundled_data(const Case& the_case) {
  const bool learns = the_case.is_train() || the_case.is_finetune();
  const bool of_texts = modality_of(the_case.task) == Modality::kText;
  return (!of_texts || (learns && has_target_texts(the_case.task))) && the_case.data == kBundledData;
}

std::string data_for(Task task) {
  if (has_captions(task)) return "a table of images and captions";
  switch (modality_of(task)) {
    case Modality::kImage:
      return "a folder or table of images";
    case Modality::kAudio:
      return "a folder or table of sounds";
    case Modality::kText:
      break;
  }
  return has_target_texts(task) ? "a table of texts and targets" : "a file or bundled";
}

void drop_unused_settings(Json& settings) {
  const Case asked = case_from(settings);
  for (const SettingTerm& term : setting_terms()) {
    if (!term.use.holds(asked)) settings.erase(std::string(term.name));
  }
}

void settle_workload(Json& point) {
  if (lacks_bundled_data(case_from(point))) point["data"] = kSyntheticData;
  const Case as_typed = case_from(point);
  // The same word as in scenarios that have other lengths too: the same texts under one key.
  if (as_typed.is_forward() && !has_fixed_rows(as_typed.scenario)) point["sequence_length"] = "natural";
  const Case asked = case_from(point);
  drop_unused_settings(point);
  // No share of padding is what drawn lengths have anyway.
  if (asked.draws_row_lengths() && asked.padding == 0) point.erase("padding");
  const bool draws_lengths = setting_term("length_distribution").use.holds(asked) && !asked.has_fixed_length();
  if (draws_lengths) point.emplace("length_distribution", kDefaultDistribution);
  if (asked.is_script()) point.emplace("inputs", kDefaultScriptInputs);
}

void check_workload_use(const Plan& plan, std::span<const Json> points) {
  std::vector<Case> cases;
  for (const Json& point : points) cases.push_back(case_from(point));
  const auto lacking = std::find_if(cases.begin(), cases.end(), lacks_bundled_data);
  if (plan.has("data") && plan.at("data").is_typed() && lacking != cases.end()) {
    throw bad_value("data", kBundledData, fmt::format("{}, or {}", data_for(lacking->task), kSyntheticData),
                    "The bundled data are sentences.");
  }
  for (const SettingTerm& term : setting_terms()) {
    if (!plan.has(term.name) || !plan.at(term.name).is_typed()) continue;
    if (std::any_of(cases.begin(), cases.end(), term.use.holds)) continue;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} only applies to {}; no case in the plan matches", term.name, use_text(term.use)));
  }
}

void check_counts(const Plan& plan) {
  if (!plan.has("cycles") || !plan.has("samples") || !plan.value("samples").is_number()) return;
  throw refused_value("cycles", setting_text(plan.value("cycles")),
                      fmt::format("samples {} also says how much to measure", setting_text(plan.value("samples"))),
                      "Give one of them: cycles counts passes over all inputs, samples what the scenario measures.");
}

void check_finetune_use(const Case& the_case, const std::vector<std::string>& given) {
  for (const std::string& name : given) {
    const SettingUse& use = setting_term(name).use;
    if (use.holds(the_case)) continue;
    const std::string what = use.further.empty() ? use_text(use) : std::string(use.further);
    throw Error(ErrorKind::kBadInput, fmt::format("{} only applies to {} and would have no effect here", name, what));
  }
}

std::optional<Error> why_no_row_lengths(const Case& asked) {
  if (!asked.draws_row_lengths()) return std::nullopt;
  const std::string& drawn = asked.length_distribution;
  if (asked.padding > 0) {
    return refused_value("padding", setting_text(asked.padding),
                         fmt::format("length_distribution {} draws how long each row is", drawn),
                         "Leave one of them out: padding is an exact share of rows that are alike.");
  }
  const std::int64_t length = *asked.sequence_length;
  const std::optional<std::int64_t> shortest = parse_length_distribution(drawn).shortest();
  // Rows too short for any text have a reason of their own.
  if (length < kShortestText || !shortest || *shortest <= length) return std::nullopt;
  return refused_value(
      "length_distribution", drawn,
      fmt::format("its shortest text has {} tokens, above sequence_length {}", *shortest, length),
      fmt::format("Choose one with texts of {} tokens or less, or use --sequence-length {} or more, or natural.",
                  length, *shortest));
}

void check_row_lengths(std::span<const Json> points) {
  std::optional<Error> first;
  for (const Json& point : points) {
    const std::optional<Error> why = why_no_row_lengths(case_from(point));
    if (!why) return;
    if (!first) first = why;
  }
  if (first) throw *first;
}

std::optional<std::string> why_not_batched(const Case& the_case) {
  if (the_case.batching != "bucketed" || !the_case.has_fixed_length()) return std::nullopt;
  return "batching bucketed needs sequence_length natural, since rows of a fixed length are all padded to one length; "
         "use batching padded";
}

}  // namespace transformeter
