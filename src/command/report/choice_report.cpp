// The answer first, the cases behind it last.
#include "report/choice_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/choice_confidence.h"
#include "analysis/results.h"
#include "base/text.h"
#include "report/choice_text.h"
#include "report/cost_report.h"
#include "report/metric_text.h"
#include "schema/record.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostEffects = 5;

std::string front_text(const CaseChoice& choice) {
  std::vector<std::string> labels;
  std::vector<std::string_view> objectives;
  for (const JudgedCase& one : choice.cases) {
    if (one.is_on_front) labels.push_back(one.candidate.one->label);
  }
  for (const Objective objective : choice.front_objectives) objectives.push_back(name_of(objective));
  return fmt::format("{}: no other case is at least as good in all of {} and better in one", fmt::join(labels, ", "),
                     fmt::join(objectives, ", "));
}

bool has_usable(const CaseChoice& choice) {
  return std::any_of(choice.cases.begin(), choice.cases.end(),
                     [](const JudgedCase& one) { return one.candidate.one->is_usable(); });
}

// Whether `recommend --measure` would take them up.
bool can_be_measured_on(const CaseChoice& choice, Objective objective) {
  if (is_score(objective) || choice.next->is_for_doubts) return false;
  const RunRecord* run = choice.cases.front().candidate.run;
  return std::all_of(choice.cases.begin(), choice.cases.end(), [&](const JudgedCase& one) {
    return one.candidate.run == run && !is_live(one.candidate.one->record->requested);
  });
}

std::vector<Block> answer_blocks(const ChoiceReport& report, const CaseChoice& choice) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{answer_text(choice, report.options), best_text(report.options.objective)});
  List list;
  const bool has_confidence = choice.confidence || choice.state == ChoiceState::kUndecided;
  if (has_confidence) list.items.push_back({confidence_text(choice), "confidence"});
  if (choice.runner_up) {
    const JudgedCase& next = choice.cases[*choice.runner_up];
    std::string text =
        fmt::format("{}: {}", next.candidate.one->label, row_text(next.figure(report.options.objective)));
    if (next.win_share) text += fmt::format(", the best with a probability of {}", share_text(*next.win_share));
    if (!next.can_be_chosen()) text += fmt::format("; {}", next.why_not);
    list.items.push_back({text, "next best"});
  }
  for (const std::string& doubt : choice.doubts) list.items.push_back({doubt, "doubt"});
  for (const Limit& limit : report.options.limits) {
    const auto excluded = std::find_if(choice.exclusions.begin(), choice.exclusions.end(),
                                       [&](const Exclusion& one) { return one.limit.kind == limit.kind; });
    if (excluded == choice.exclusions.end()) {
      if (!has_usable(choice)) continue;
      list.items.push_back({fmt::format("{}: every case that is not invalid keeps it", bound_text(limit)), "limit"});
    } else {
      list.items.push_back({exclusion_text(choice, *excluded), "excluded"});
    }
  }
  if (!choice.front_objectives.empty()) list.items.push_back({front_text(choice), "trade-offs"});
  for (const std::string& left : choice.not_on_front) list.items.push_back({left, "not weighed"});
  if (!list.items.empty()) blocks.emplace_back(std::move(list));
  if (!choice.next) return blocks;
  blocks.emplace_back(Paragraph{choice.next->why, "measure next"});
  const std::string commands = next_commands(choice, report.store);
  if (commands.empty()) return blocks;
  blocks.emplace_back(Code{commands});
  if (can_be_measured_on(choice, report.options.objective)) {
    blocks.emplace_back(Paragraph{"recommend --measure TIME measures them in their run until it is decided", "or"});
  }
  return blocks;
}

List effect_list(const SettingEffects& effects) {
  List list;
  for (std::size_t i = 0; i < std::min(kMostEffects, effects.told_apart.size()); ++i) {
    list.items.push_back({effect_text(effects.told_apart[i])});
  }
  if (list.items.empty()) {
    list.items.push_back({fmt::format("{} of cases {} in one setting, none told apart", counted(effects.pairs, "pair"),
                                      effects.pairs == 1 ? "differs" : "differ")});
  }
  return list;
}

// Chosen by, or held to a limit.
bool is_asked_for(const ChoiceOptions& options, Objective objective) {
  return objective == options.objective ||
         std::any_of(options.limits.begin(), options.limits.end(),
                     [&](const Limit& limit) { return objective_of(limit.kind) == objective; });
}

Table case_table(const ChoiceReport& report, const CaseChoice& choice) {
  const bool has_p95 = report.options.has_limit(LimitKind::kLatencyP95);
  Table table;
  table.columns.push_back({"case"});
  table.columns.push_back({"best in", true});
  table.columns.push_back({.heading = "trade-off", .may_be_left_out = true});
  for (const Objective objective : kObjectives) {
    table.columns.push_back({.heading = std::string(name_of(objective)),
                             .is_number = true,
                             .may_be_left_out = !is_asked_for(report.options, objective)});
  }
  if (has_p95) table.columns.push_back({"latency p95", true});
  table.columns.push_back({"doubt"});
  table.columns.push_back({"not chosen because"});
  for (const JudgedCase& one : choice.cases) {
    std::vector<Cell> cells{one.candidate.one->label};
    cells.emplace_back(one.win_share ? share_text(*one.win_share) : "-");
    cells.emplace_back(one.is_on_front ? "yes" : "-");
    for (const Objective objective : kObjectives) cells.emplace_back(row_text(one.figure(objective)));
    if (has_p95) {
      const auto p95 = std::find_if(one.limits.begin(), one.limits.end(),
                                    [](const LimitCheck& check) { return check.limit.kind == LimitKind::kLatencyP95; });
      cells.emplace_back(row_text(p95->row));
    }
    cells.emplace_back(one.candidate.one->is_doubtful() ? "doubtful" : "-");
    cells.emplace_back(one.can_be_chosen() ? "-" : one.why_not);
    add_row(table, std::move(cells));
  }
  drop_empty_columns(table);
  return table;
}

Json case_ref(const JudgedCase& one) {
  return {{"run", one.candidate.run->id}, {"case", one.candidate.one->record->id}, {"label", one.candidate.one->label}};
}

Json judged_json(const JudgedCase& one) {
  Json json = case_ref(one);
  json["figures"] = Json::object();
  for (const ObjectiveFigure& figure : one.figures) {
    json["figures"][std::string(name_of(figure.objective))] = metric_json(figure.row);
  }
  json["limits"] = Json::array();
  for (const LimitCheck& check : one.limits) {
    json["limits"].push_back({{"limit", name_of(check.limit.kind)},
                              {"figure", metric_json(check.row)},
                              {"is_kept", check.row.value ? Json(check.is_kept) : Json()},
                              {"is_drawn", check.is_open()}});
  }
  json["probability_best"] = one.win_share ? Json(*one.win_share) : Json();
  json["is_on_front"] = one.is_on_front;
  json["is_doubtful"] = one.candidate.one->is_doubtful();
  json["why_not"] = text_or_null(one.why_not);
  return json;
}

Json exclusion_json(const CaseChoice& choice, const Exclusion& one) {
  return {{"limit", name_of(one.limit.kind)},
          {"broken", one.broken},
          {"unknown", one.unknown},
          {"nearest", one.nearest ? case_ref(choice.cases[*one.nearest]) : Json()}};
}

Json next_json(const CaseChoice& choice, const std::string& store) {
  if (!choice.next) return nullptr;
  Json cases = Json::array();
  for (const std::size_t place : choice.next->cases) cases.push_back(case_ref(choice.cases[place]));
  return {{"cases", std::move(cases)},
          {"replicates", choice.next->replicates ? Json(*choice.next->replicates) : Json()},
          {"why", choice.next->why},
          {"command", text_or_null(next_commands(choice, store))}};
}

Json effect_json(const SettingEffect& one) {
  Json beside = Json::array();
  for (const BesideFigure& figure : one.beside) {
    beside.push_back({{"better", metric_json(figure.better)}, {"other", metric_json(figure.other)}});
  }
  return {{"setting", one.setting},
          {"better", one.better},
          {"other", one.other},
          {"better_case", one.better_case->record->id},
          {"other_case", one.other_case->record->id},
          {"quantity", one.quantity},
          {"gain", {{"value", one.gain.value}, {"low", one.gain.low}, {"high", one.gain.high}}},
          {"confidence_level", one.level},
          {"compared_by", one.compared_by},
          {"pairs", one.pairs},
          {"beside", std::move(beside)},
          {"sentence", effect_text(one)}};
}

Json choice_json(const CaseChoice& choice, const std::string& store) {
  Json unknown = Json::array();
  for (const std::size_t place : choice.unknown_rivals) unknown.push_back(case_ref(choice.cases[place]));
  Json cases = Json::array();
  for (const JudgedCase& one : choice.cases) cases.push_back(judged_json(one));
  Json exclusions = Json::array();
  for (const Exclusion& one : choice.exclusions) exclusions.push_back(exclusion_json(choice, one));
  Json objectives = Json::array();
  for (const Objective objective : choice.front_objectives) objectives.push_back(name_of(objective));
  Json effects = Json::array();
  for (const SettingEffect& one : choice.effects.told_apart) effects.push_back(effect_json(one));
  return {{"group", choice.label},
          {"state", name_of(choice.state)},
          {"best", choice.state == ChoiceState::kNone ? Json() : case_ref(choice.cases.front())},
          {"runner_up", choice.runner_up ? case_ref(choice.cases[*choice.runner_up]) : Json()},
          {"unknown_rivals", std::move(unknown)},
          {"confidence", choice.confidence ? Json(*choice.confidence) : Json()},
          {"why_no_confidence", text_or_null(choice.why_no_confidence)},
          {"covers_one_process", choice.covers_one_process},
          {"borrowed_spreads", choice.borrowed_spreads},
          {"doubts", choice.doubts},
          {"exclusions", std::move(exclusions)},
          {"front", {{"objectives", std::move(objectives)}, {"left_out", choice.not_on_front}}},
          {"next", next_json(choice, store)},
          {"cost_per", choice.cost_unit ? Json(name_of(*choice.cost_unit)) : Json()},
          {"advice", std::move(effects)},
          {"pairs", choice.effects.pairs},
          {"cases", std::move(cases)}};
}

}  // namespace

Document choice_document(const ChoiceReport& report) {
  Document document;
  document.title = "Recommended case";
  for (const CaseChoice& choice : report.choices) {
    Section& section = document.sections.emplace_back(Section{"", choice.label, answer_blocks(report, choice)});
    if (choice.effects.pairs > 0) {
      section.blocks.emplace_back(SubSection{"", "What single settings are worth", {}, {effect_list(choice.effects)}});
    }
    section.blocks.emplace_back(case_table(report, choice));
  }
  Section closing{"", "", {}};
  if (report.training_cases > 0) {
    closing.blocks.emplace_back(Paragraph{fmt::format("{} left out: recommend --for training weighs them",
                                                      counted(report.training_cases, "training case"))});
  }
  closing.blocks.emplace_back(
      Paragraph{"±: larger side of the 95 % interval; docs/recommend.md explains how the probability is found"});
  document.closing.push_back(std::move(closing));
  return document;
}

Json choice_json(const ChoiceReport& report) {
  Json limits = Json::object();
  for (const Limit& limit : report.options.limits) {
    limits[std::string(name_of(limit.kind))] = {{"bound", limit.bound}, {"unit", unit_of(limit.kind)}};
  }
  Json prices = Json::array();
  for (const Price& price : report.prices) prices.push_back(price_json(price));
  Json groups = Json::array();
  for (const CaseChoice& choice : report.choices) groups.push_back(choice_json(choice, report.store));
  return {{"schema_version", kResultSchemaVersion},
          {"purpose", "inference"},
          {"objective", name_of(report.options.objective)},
          {"limits", std::move(limits)},
          {"draws", kChoiceDraws},
          {"prices", std::move(prices)},
          {"training_cases", report.training_cases},
          {"groups", std::move(groups)}};
}

}  // namespace transformeter
