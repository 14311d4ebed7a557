// Sentences from figures; each names the cases that it rests on.
#include "report/choice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/choice_confidence.h"
#include "base/text.h"
#include "base/units.h"
#include "report/command_line.h"
#include "report/metric_text.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

const std::string& label_of(const JudgedCase& one) {
  return one.candidate.one->label;
}

// Limits that are not drawn: another process, or other texts, may not repeat the value.
std::string kept_by_value(const JudgedCase& one) {
  std::string text;
  for (const LimitCheck& check : one.limits) {
    if (check.is_open()) continue;
    text += fmt::format("; {} is kept by its value, which {}", name_of(check.limit.kind),
                        is_score(check.limit.kind) ? "is of these texts only" : "has no interval");
  }
  return text;
}

std::string interval_text(const SettingEffect& effect) {
  return fmt::format("{:.0f} % interval {:.3g} to {:.3g} over {}", 100 * effect.level, effect.gain.low,
                     effect.gain.high, effect.compared_by);
}

// "b8 bf16 may be better, but its latency_p95 is not known"; why, its row says.
std::string unknown_rival_text(const CaseChoice& choice) {
  const JudgedCase& rival = choice.cases[choice.unknown_rivals.front()];
  const auto lacking =
      std::find_if(rival.limits.begin(), rival.limits.end(), [](const LimitCheck& check) { return !check.row.value; });
  std::string text =
      fmt::format("{} may be better, but its {} is not known", label_of(rival), name_of(lacking->limit.kind));
  const std::size_t others = choice.unknown_rivals.size() - 1;
  if (others > 0) text += fmt::format("; so may {} without a figure", counted(others, "more case"));
  return text;
}

// What keeps it from being decided: the next best, or how far the figures can be trusted.
std::string undecided_text(const CaseChoice& choice) {
  const bool is_probable = choice.confidence.value_or(0) >= kDecidedConfidence;
  if (choice.runner_up && !is_probable) {
    return fmt::format("undecided between {} and {}", label_of(choice.cases.front()),
                       label_of(choice.cases[*choice.runner_up]));
  }
  if (!choice.unknown_rivals.empty()) return "undecided: " + unknown_rival_text(choice);
  if (choice.covers_one_process) {
    return "undecided: fewer than 3 processes of a case that may be the best were measured";
  }
  return choice.doubts.empty() ? "undecided: it may not keep its limits"
                               : "undecided: figures of it or of a rival are doubtful";
}

}  // namespace

std::string bound_text(const Limit& limit) {
  return fmt::format("{} of at {} {}", name_of(limit.kind), limit.kind == LimitKind::kAccuracy ? "least" : "most",
                     format_quantity(limit.bound, unit_of(limit.kind)));
}

std::string best_text(Objective objective) {
  return fmt::format("{} {}", is_higher_better(objective) ? "highest" : "lowest", name_of(objective));
}

std::string row_text(const MetricRow& row) {
  return value_text(&row);
}

std::string share_text(double share) {
  constexpr double kNearlyAll = 0.99;
  if (share > kNearlyAll) return "> 99 %";  // of 10,000 draws none tells more
  if (share < 1 - kNearlyAll) return "< 1 %";
  return fmt::format("{:.0f} %", std::floor(100 * share));  // 94.9 % is not enough for 95 %
}

std::string answer_text(const CaseChoice& choice, const ChoiceOptions& options) {
  if (choice.state == ChoiceState::kNone) {
    const bool is_near = choice.next && choice.unknown_rivals.empty();
    return is_near ? "no case keeps the limits by its value" : "no case can be chosen; the table says why";
  }
  const JudgedCase& first = choice.cases.front();
  std::string text = fmt::format("{}: {}", label_of(first), row_text(first.figure(options.objective)));
  if (choice.confidence) {
    text += fmt::format(", the best with a probability of {}", share_text(*choice.confidence));
  }
  if (choice.state == ChoiceState::kUndecided) text += fmt::format("; {}", undecided_text(choice));
  if (choice.state == ChoiceState::kDecided) text += "; decided";
  if (choice.state == ChoiceState::kOnlyOne) text += "; no other case can be chosen";
  return text + kept_by_value(first);
}

std::string confidence_text(const CaseChoice& choice) {
  if (!choice.confidence) return fmt::format("not known: {}", choice.why_no_confidence);
  std::string text = fmt::format("{} draws of each case's level from its interval", kChoiceDraws);
  if (choice.borrowed_spreads > 0 && !choice.lacks_spread) {
    return text + fmt::format(
                      " between processes; for {} with fewer than 3 processes from the value, or slices, and the "
                      "largest spread of the others",
                      counted(choice.borrowed_spreads, "case"));
  }
  return text + (choice.lacks_spread ? "; some were measured in fewer than 3 processes, so it says nothing of "
                                       "what differs between processes"
                                     : " between processes");
}

std::string exclusion_text(const CaseChoice& choice, const Exclusion& exclusion) {
  std::vector<std::string> parts;
  if (exclusion.broken > 0) {
    const JudgedCase& nearest = choice.cases[*exclusion.nearest];
    const auto check = std::find_if(nearest.limits.begin(), nearest.limits.end(),
                                    [&](const LimitCheck& one) { return one.limit.kind == exclusion.limit.kind; });
    parts.push_back(fmt::format("{} {} it, nearest {} with {}", counted(exclusion.broken, "case"),
                                exclusion.broken == 1 ? "misses" : "miss", label_of(nearest),
                                format_quantity(*check->row.value, check->row.unit)));
  }
  if (exclusion.unknown > 0) parts.push_back(fmt::format("{} without a figure", counted(exclusion.unknown, "case")));
  return fmt::format("{}: {}", bound_text(exclusion.limit), fmt::join(parts, ", "));
}

std::string effect_text(const SettingEffect& effect) {
  std::string text = fmt::format("{} {} instead of {}: {:.3g} times the {} ({}), {} against {}", effect.setting,
                                 effect.better, effect.other, effect.gain.value, effect.quantity, interval_text(effect),
                                 effect.better_case->label, effect.other_case->label);
  for (const BesideFigure& one : effect.beside) {
    text += fmt::format("; {} {} against {}", one.better.name, row_text(one.better), row_text(one.other));
  }
  if (effect.pairs > 1) {
    text += fmt::format("; the largest of {} pairs; its interval does not account for the choice", effect.pairs);
  }
  return text;
}

std::string next_commands(const CaseChoice& choice, const std::string& store) {
  if (!choice.next || !choice.next->replicates) return "";
  std::vector<const RunRecord*> runs;
  for (const std::size_t place : choice.next->cases) {
    const RunRecord* run = choice.cases[place].candidate.run;
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
  }
  std::vector<std::string> commands;
  for (const RunRecord* run : runs) {
    std::vector<const CaseRecord*> cases;
    for (const std::size_t place : choice.next->cases) {
      const ChoiceCandidate& one = choice.cases[place].candidate;
      if (one.run == run) cases.push_back(one.one->record);
    }
    commands.push_back(measure_again_command(*run, cases, *choice.next->replicates, store));
  }
  return fmt::format("{}", fmt::join(commands, "\n"));
}

}  // namespace transformeter
