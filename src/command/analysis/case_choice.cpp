// Cases are judged by their values; how sure the choice is, draws of their levels say.
#include "analysis/case_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/choice_confidence.h"
#include "analysis/compare_cases.h"
#include "analysis/metric_change.h"
#include "analysis/next_measurement.h"
#include "analysis/pareto.h"
#include "analysis/work_groups.h"
#include "base/units.h"
#include "metrics/case_settings.h"
#include "metrics/metric_rows.h"
#include "schema/settings.h"
#include "stats/student_t.h"

namespace transformeter {
namespace {

bool is_upper(LimitKind kind) {
  return kind != LimitKind::kAccuracy;
}

bool keeps(const Limit& limit, double value) {
  return is_upper(limit.kind) ? value <= limit.bound : value >= limit.bound;
}

MetricRow limited_row(const JudgedCase& judged, LimitKind kind) {
  if (const auto objective = objective_of(kind)) return judged.figure(*objective);
  const AnalyzedCase& one = *judged.candidate.one;
  const MetricRow* p95 = one.is_ok() ? find_metric(one.analysis.metrics, "latency", "p95") : nullptr;
  MetricRow row = p95 != nullptr ? *p95 : MetricRow{};
  row.name = "latency";
  row.statistic = "p95";
  row.unit = "s";
  if (!row.value) row.reason = why_missing(one, "latency", "p95");
  return row;
}

// Whether more processes may give a p95. Of a cycle of several batches it is over these, however often they are
// measured.
bool lacks_samples(const AnalyzedCase& one) {
  const MetricRow* p95 = find_metric(one.analysis.metrics, "latency", "p95");
  const double batches = number_of_path(one.record->effective, {"cycle_batches"}).value_or(1);
  return p95 != nullptr && !p95->value && p95->reason == kTooFewSamples && batches == 1;
}

// "its latency_p95 of 61.0 ms is above 50.0 ms"
std::string why_broken(const LimitCheck& check) {
  return fmt::format("its {} of {} is {} {}", name_of(check.limit.kind),
                     format_quantity(*check.row.value, check.row.unit), is_upper(check.limit.kind) ? "above" : "below",
                     format_quantity(check.limit.bound, check.row.unit));
}

// Of 95 %, as its level is drawn: a percentile over slices or processes has none of its own.
void set_interval(MetricRow& row, const Level& level) {
  const double factor = std::exp(student_t_quantile(0.975, level.freedom) * level.log_error);
  row.low = *row.value / factor;
  row.high = *row.value * factor;
  row.interval = level.is_between_processes ? IntervalKind::kBetweenReplicates : IntervalKind::kBetweenSlices;
  row.n = static_cast<std::size_t>(level.freedom) + 1;
  row.reason.clear();  // why it had none
}

LimitCheck check_of(const JudgedCase& judged, const Limit& limit) {
  LimitCheck check;
  check.limit = limit;
  check.row = limited_row(judged, limit.kind);
  check.is_for_more_samples = limit.kind == LimitKind::kLatencyP95 && lacks_samples(*judged.candidate.one);
  if (!check.row.value) return check;
  check.level = limit.kind == LimitKind::kLatencyP95 ? judged.candidate.latency_p95 : level_of(check.row);
  if (limit.kind == LimitKind::kLatencyP95 && check.level) set_interval(check.row, *check.level);
  check.is_kept = keeps(limit, *check.row.value);
  return check;
}

std::string why_not_chosen(const JudgedCase& judged, const ChoiceOptions& options) {
  const AnalyzedCase& one = *judged.candidate.one;
  if (!one.is_ok()) return std::string(status_word(*one.record));
  if (one.analysis.verdict.level == VerdictLevel::kInvalid) return doubt_text(one);
  const MetricRow& row = judged.figure(options.objective);
  if (!row.value) return row.reason;
  for (const LimitCheck& check : judged.limits) {
    if (!check.row.value) return check.row.reason;
    if (!check.is_kept) return why_broken(check);
  }
  return "";
}

// Costs of the cases of one group, which have one unit.
class GroupCosts {
 public:
  explicit GroupCosts(const std::vector<ChoiceCandidate>& cases) {
    std::vector<PricedCase> priced;
    for (const ChoiceCandidate& one : cases) {
      if (one.price != nullptr) priced.push_back({one.one, one.price});
    }
    if (!priced.empty()) group_ = ranked_costs(priced, {});
  }

  std::optional<CostUnit> unit() const { return group_ ? std::optional(group_->per) : std::nullopt; }

  MetricRow row(const ChoiceCandidate& candidate) const {
    MetricRow row;
    row.name = "cost";
    row.reason = "no price: give --price-per-hour N or --machine NAME";
    if (!group_ || candidate.price == nullptr) return row;
    const CostUnit per = group_->per;
    row.unit = fmt::format("{} per {}", candidate.price->currency,
                           unit_text(per, is_generate(candidate.one->record->requested)));
    const auto found = std::find_if(group_->costs.begin(), group_->costs.end(),
                                    [&](const CaseCost& cost) { return cost.one == candidate.one; });
    const CostFigure* figure = found->figure(per);
    row.reason = figure == nullptr ? fmt::format("{} has no cost per {}", candidate.one->label, name_of(per)) : "";
    if (figure == nullptr) return row;
    row.value = figure->value;
    row.low = figure->low;
    row.high = figure->high;
    row.interval = figure->interval;
    row.n = figure->n;
    row.provenance = "derived";
    return row;
  }

 private:
  std::optional<CostGroup> group_;
};

std::vector<JudgedCase> judged_cases(const std::vector<ChoiceCandidate>& cases, const GroupCosts& costs,
                                     const ChoiceOptions& options) {
  std::vector<const AnalyzedCase*> all;
  for (const ChoiceCandidate& one : cases) all.push_back(one.one);
  const LatencyStatistic latency = latency_statistic_of(all);
  std::vector<JudgedCase> judged;
  for (const ChoiceCandidate& one : cases) {
    JudgedCase& made = judged.emplace_back();
    made.candidate = one;
    for (const Objective objective : kObjectives) {
      made.figures.push_back(
          {objective, objective == Objective::kCost ? costs.row(one) : objective_row(*one.one, objective, latency)});
    }
    for (const Limit& limit : options.limits) made.limits.push_back(check_of(made, limit));
    made.why_not = why_not_chosen(made, options);
  }
  return judged;
}

// Lower is better.
double rank_of(const JudgedCase& one, Objective objective) {
  const double value = one.figure(objective).value.value_or(0);
  return is_higher_better(objective) ? -value : value;
}

// Those that can be chosen first; of equal ones that with the higher throughput.
void sort_by(std::vector<JudgedCase>& cases, Objective objective) {
  const auto key = [&](const JudgedCase& one) {
    return std::tuple(!one.can_be_chosen(), one.can_be_chosen() ? rank_of(one, objective) : 0,
                      one.can_be_chosen() ? rank_of(one, Objective::kThroughput) : 0);
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const JudgedCase& left, const JudgedCase& right) { return key(left) < key(right); });
}

// How far processes of some cases lie apart, for those of which too few were measured.
class Spreads {
 public:
  Spreads(const std::vector<JudgedCase>& cases, const ChoiceOptions& options) {
    objective_ = spread_of(cases, [&](const JudgedCase& one) { return level_of(one.figure(options.objective)); });
    for (std::size_t i = 0; i < options.limits.size(); ++i) {
      limits_.push_back(spread_of(cases, [&](const JudgedCase& one) { return one.limits[i].level; }));
    }
  }

  bool has_objective() const { return objective_.has_value(); }

  /// The level of the objective as it is drawn: a value without an interval is that of one process, if there is a rival
  /// at all.
  Level of_objective(const MetricRow& row) const {
    return widened(level_of(row).value_or(Level{*row.value, 0, 0, false}), objective_);
  }

  /// Likewise of the limit of that number, which must have a value; scores are of these texts in every process.
  Level of_limit(std::size_t number, const LimitCheck& check) const {
    return widened(check.level.value_or(Level{*check.row.value, 0, 0, is_score(check.limit.kind)}), limits_[number]);
  }

  /// Whether they say all that the case does not know of other processes.
  bool are_enough_for(const JudgedCase& one) const {
    bool are_enough = has_objective();
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      are_enough = are_enough && (!one.limits[i].is_unknown_between_processes() || limits_[i]);
    }
    return are_enough;
  }

 private:
  template <typename LevelOf>
  static std::optional<ProcessSpread> spread_of(const std::vector<JudgedCase>& cases, const LevelOf& level_of) {
    std::vector<Level> levels;
    for (const JudgedCase& one : cases) {
      if (!one.candidate.one->is_usable()) continue;
      if (const std::optional<Level> level = level_of(one)) levels.push_back(*level);
    }
    return largest_process_spread(levels);
  }

  static Level widened(const Level& level, const std::optional<ProcessSpread>& spread) {
    return spread ? with_process_spread(level, *spread) : level;
  }

  std::optional<ProcessSpread> objective_;
  std::vector<std::optional<ProcessSpread>> limits_;
};

// A 95th percentile that is not known is no lower than the median, which itself is only known to lie in its interval:
// the lower end decides.
bool may_keep_unknown(const JudgedCase& one, const LimitCheck& check) {
  if (check.limit.kind != LimitKind::kLatencyP95) return true;
  const MetricRow* median = find_metric(one.candidate.one->analysis.metrics, "latency", "median");
  if (median == nullptr || !median->value) return true;
  return median->low.value_or(*median->value) <= check.limit.bound;
}

// Whether some draw may choose it: what has no error keeps its value in each. Limits without a figure are left open.
bool may_win_by_known(const JudgedCase& one, Objective objective) {
  if (!one.candidate.one->is_usable() || !one.figure(objective).value) return false;
  return std::all_of(one.limits.begin(), one.limits.end(), [&](const LimitCheck& check) {
    return check.row.value ? check.is_kept || check.is_open() : may_keep_unknown(one, check);
  });
}

bool lacks_limit_figure(const JudgedCase& one) {
  return std::any_of(one.limits.begin(), one.limits.end(), [](const LimitCheck& check) { return !check.row.value; });
}

bool may_win(const JudgedCase& one, Objective objective) {
  return may_win_by_known(one, objective) && !lacks_limit_figure(one);
}

DrawnCase drawn_of(const JudgedCase& one, const Spreads& spreads, Objective objective) {
  DrawnCase drawn{spreads.of_objective(one.figure(objective)), {}};
  for (const LimitCheck& check : one.limits) {
    if (!check.drawn) continue;
    drawn.limits.push_back(
        {*check.drawn, check.limit.bound, is_upper(check.limit.kind), objective_of(check.limit.kind) == objective});
  }
  return drawn;
}

std::vector<double> drawn_shares(const CaseChoice& choice, const std::vector<std::size_t>& places,
                                 const Spreads& spreads, Objective objective) {
  std::vector<DrawnCase> drawn;
  for (const std::size_t place : places) drawn.push_back(drawn_of(choice.cases[place], spreads, objective));
  return win_shares(drawn, {.is_higher_better = is_higher_better(objective)});
}

std::string why_no_level(const JudgedCase& one, Objective objective) {
  const MetricRow& row = one.figure(objective);
  return fmt::format("the {} of {} has no interval over 3 or more processes, or over slices of one (it has {})",
                     name_of(objective), one.candidate.one->label,
                     row.interval == IntervalKind::kNone ? "none" : name_of(row.interval));
}

// Places, the choice first.
std::vector<std::size_t> possible_winners(const CaseChoice& choice, Objective objective) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < choice.cases.size(); ++i) {
    if (may_win(choice.cases[i], objective)) places.push_back(i);
  }
  return places;
}

std::string why_not_drawn(const CaseChoice& choice, const std::vector<std::size_t>& places, const Spreads& spreads,
                          Objective objective) {
  if (places.size() == 1) return "";
  if (is_score(objective)) return "scores are of these texts only; their difference is not tested";
  if (spreads.has_objective()) return "";
  for (const std::size_t place : places) {
    if (!level_of(choice.cases[place].figure(objective))) return why_no_level(choice.cases[place], objective);
  }
  return "";
}

// Without a rival only limits are in question.
bool covers_one_process(const JudgedCase& one, Objective objective, bool has_rivals) {
  const auto level = level_of(one.figure(objective));
  return (has_rivals && (!level || !level->is_between_processes)) ||
         std::any_of(one.limits.begin(), one.limits.end(),
                     [](const LimitCheck& check) { return check.is_unknown_between_processes(); });
}

bool has_open_limit(const JudgedCase& one) {
  return std::any_of(one.limits.begin(), one.limits.end(), [](const LimitCheck& check) { return check.is_open(); });
}

void set_confidence(CaseChoice& choice, const std::vector<std::size_t>& places, const Spreads& spreads,
                    const ChoiceOptions& options) {
  choice.why_no_confidence = why_not_drawn(choice, places, spreads, options.objective);
  if (!choice.why_no_confidence.empty()) return;
  if (places.size() == 1 && !has_open_limit(choice.cases[places.front()])) {
    choice.why_no_confidence = "no other case can be chosen";
    return;
  }
  const std::vector<double> shares = drawn_shares(choice, places, spreads, options.objective);
  choice.confidence = shares.front();
  for (std::size_t i = 0; i < places.size(); ++i) {
    JudgedCase& one = choice.cases[places[i]];
    one.win_share = shares[i];
    if (!covers_one_process(one, options.objective, places.size() > 1)) continue;
    const bool is_enough = spreads.are_enough_for(one);
    const bool is_in_question = i == 0 || shares[i] >= kRivalShare;
    choice.borrowed_spreads += is_enough ? 1 : 0;
    choice.lacks_spread = choice.lacks_spread || !is_enough;
    choice.covers_one_process = choice.covers_one_process || is_in_question || !is_enough;
  }
}

// Those that would be rivals of `places` if they kept the limits of which they have no figure.
void set_unknown_rivals(CaseChoice& choice, std::vector<std::size_t> places, const Spreads& spreads,
                        Objective objective) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < choice.cases.size(); ++i) {
    const JudgedCase& one = choice.cases[i];
    if (lacks_limit_figure(one) && may_win_by_known(one, objective)) unknown.push_back(i);
  }
  if (unknown.empty()) return;
  const std::size_t known = places.size();
  places.insert(places.end(), unknown.begin(), unknown.end());
  const std::vector<double> shares = drawn_shares(choice, places, spreads, objective);
  for (std::size_t i = known; i < places.size(); ++i) {
    if (shares[i] >= kRivalShare) choice.unknown_rivals.push_back(places[i]);
  }
}

// The rival that wins most often; without one the second that can be chosen; without draws the second that may be the
// best.
void set_runner_up(CaseChoice& choice, const std::vector<std::size_t>& places) {
  if (choice.cases.size() > 1 && choice.cases[1].can_be_chosen()) choice.runner_up = 1;
  if (!choice.runner_up && !choice.confidence && places.size() > 1) choice.runner_up = places[1];
  const bool has_second = choice.runner_up.has_value();
  double most = 0;
  for (std::size_t i = 1; i < choice.cases.size(); ++i) {
    const double share = choice.cases[i].win_share.value_or(0);
    if (share <= most || (share < kRivalShare && has_second)) continue;
    most = share;
    choice.runner_up = i;
  }
}

void add_doubts(CaseChoice& choice, const JudgedCase& judged, const ChoiceOptions& options) {
  std::vector<std::string> doubts{why_row_doubted(*judged.candidate.one, judged.figure(options.objective))};
  for (const LimitCheck& check : judged.limits) doubts.push_back(why_row_doubted(*judged.candidate.one, check.row));
  for (std::string& doubt : doubts) {
    const bool is_told = std::find(choice.doubts.begin(), choice.doubts.end(), doubt) != choice.doubts.end();
    if (!doubt.empty() && !is_told) choice.doubts.push_back(std::move(doubt));
  }
}

// Of the choice and of what may be the best in its place.
void add_all_doubts(CaseChoice& choice, const ChoiceOptions& options) {
  for (std::size_t i = 0; i < choice.cases.size(); ++i) {
    const bool is_rival = choice.cases[i].win_share.value_or(0) >= kRivalShare;
    const bool is_next = !choice.confidence && choice.runner_up == i;
    if (i == 0 || is_rival || is_next) add_doubts(choice, choice.cases[i], options);
  }
}

// No case keeps its limits by its value, but processes differ, and those that would be the best in some draws may.
void set_near_misses(CaseChoice& choice, const std::vector<std::size_t>& places, const Spreads& spreads,
                     const ChoiceOptions& options) {
  if (is_score(options.objective) || places.empty()) return;
  const std::vector<double> shares = drawn_shares(choice, places, spreads, options.objective);
  const bool are_known = why_not_drawn(choice, places, spreads, options.objective).empty();
  NextMeasurement next;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (are_known) choice.cases[places[i]].win_share = shares[i];
    if (shares[i] >= kRivalShare) next.cases.push_back(places[i]);
  }
  if (next.cases.empty()) return;
  next.replicates = replicates_for_unknown(choice, next.cases);
  next.why = fmt::format("{} may keep its limits after all", choice.cases[next.cases.front()].candidate.one->label);
  if (next.cases.size() > 1) next.why = fmt::format("{} cases may keep their limits after all", next.cases.size());
  choice.next = std::move(next);
}

ChoiceState state_of(const CaseChoice& choice) {
  const std::vector<LimitCheck>& limits = choice.cases.front().limits;
  const bool has_unknown_limit = std::any_of(limits.begin(), limits.end(), [](const LimitCheck& check) {
    return !check.level && check.is_unknown_between_processes();
  });
  if (has_unknown_limit || !choice.unknown_rivals.empty()) return ChoiceState::kUndecided;
  const bool is_sure = choice.confidence.value_or(0) >= kDecidedConfidence && !choice.covers_one_process;
  if (!choice.runner_up) return is_sure || !choice.confidence ? ChoiceState::kOnlyOne : ChoiceState::kUndecided;
  return is_sure && choice.doubts.empty() ? ChoiceState::kDecided : ChoiceState::kUndecided;
}

void set_drawn(std::vector<JudgedCase>& cases, const Spreads& spreads) {
  for (JudgedCase& one : cases) {
    for (std::size_t i = 0; i < one.limits.size(); ++i) {
      LimitCheck& check = one.limits[i];
      if (check.row.value) check.drawn = spreads.of_limit(i, check);
    }
  }
}

void decide(CaseChoice& choice, const ChoiceOptions& options) {
  const Spreads spreads(choice.cases, options);
  set_drawn(choice.cases, spreads);
  const std::vector<std::size_t> places = possible_winners(choice, options.objective);
  set_unknown_rivals(choice, places, spreads, options.objective);
  if (choice.cases.empty() || !choice.cases.front().can_be_chosen()) {
    set_near_misses(choice, places, spreads, options);
    add_unknown_rivals(choice, choice.next);
    return;
  }
  set_confidence(choice, places, spreads, options);
  set_runner_up(choice, places);
  add_all_doubts(choice, options);
  choice.state = state_of(choice);
  choice.next = next_measurement(choice, options);
}

double distance_from(const LimitCheck& check) {
  return std::abs(*check.row.value - check.limit.bound);
}

Exclusion exclusion_of(const std::vector<JudgedCase>& cases, std::size_t limit) {
  Exclusion exclusion;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const LimitCheck& check = cases[i].limits[limit];
    exclusion.limit = check.limit;
    if (!cases[i].candidate.one->is_usable() || check.is_kept) continue;
    if (!check.row.value) {
      ++exclusion.unknown;
      continue;
    }
    ++exclusion.broken;
    const bool is_nearer =
        !exclusion.nearest || distance_from(check) < distance_from(cases[*exclusion.nearest].limits[limit]);
    if (is_nearer) exclusion.nearest = i;
  }
  return exclusion;
}

// Over the objectives of which each case that can be chosen has a figure.
void set_front(CaseChoice& choice) {
  std::vector<JudgedCase*> cases;
  for (JudgedCase& one : choice.cases) {
    if (one.can_be_chosen()) cases.push_back(&one);
  }
  if (cases.empty()) return;
  for (const Objective objective : kObjectives) {
    const auto lacking =
        std::find_if(cases.begin(), cases.end(), [&](const JudgedCase* one) { return !one->figure(objective).value; });
    if (lacking == cases.end()) {
      choice.front_objectives.push_back(objective);
    } else {
      choice.not_on_front.push_back(fmt::format("{}: {}", name_of(objective), (*lacking)->figure(objective).reason));
    }
  }
  std::vector<std::vector<double>> points;
  for (const JudgedCase* one : cases) {
    std::vector<double>& point = points.emplace_back();
    for (const Objective objective : choice.front_objectives) point.push_back(rank_of(*one, objective));
  }
  const std::vector<bool> is_on_front = pareto_front(points);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i]->is_on_front = is_on_front[i];
}

CaseChoice choice_of(std::string label, const std::vector<ChoiceCandidate>& cases, const ChoiceOptions& options) {
  CaseChoice choice;
  choice.label = std::move(label);
  const GroupCosts costs(cases);
  choice.cost_unit = costs.unit();
  choice.cases = judged_cases(cases, costs, options);
  sort_by(choice.cases, options.objective);
  decide(choice, options);
  for (std::size_t i = 0; i < options.limits.size(); ++i) {
    const Exclusion exclusion = exclusion_of(choice.cases, i);
    if (exclusion.broken + exclusion.unknown > 0) choice.exclusions.push_back(exclusion);
  }
  set_front(choice);
  std::vector<EffectCase> measured;
  for (const ChoiceCandidate& one : cases) measured.push_back({one.one, one.run});
  choice.effects = setting_effects(measured);
  return choice;
}

}  // namespace

std::optional<Objective> objective_of(LimitKind kind) {
  switch (kind) {
    case LimitKind::kMemory:
      return Objective::kMemory;
    case LimitKind::kAccuracy:
      return Objective::kAccuracy;
    case LimitKind::kDivergence:
      return Objective::kDivergence;
    case LimitKind::kLatencyP95:
      break;
  }
  return std::nullopt;
}

std::string_view name_of(LimitKind kind) {
  const auto objective = objective_of(kind);
  return objective ? name_of(*objective) : "latency_p95";
}

std::string_view unit_of(LimitKind kind) {
  if (is_score(kind)) return "ratio";
  return kind == LimitKind::kMemory ? "bytes" : "s";
}

bool is_score(LimitKind kind) {
  const auto objective = objective_of(kind);
  return objective && is_score(*objective);
}

std::string_view name_of(ChoiceState state) {
  switch (state) {
    case ChoiceState::kDecided:
      return "decided";
    case ChoiceState::kUndecided:
      return "undecided";
    case ChoiceState::kOnlyOne:
      return "only_one";
    case ChoiceState::kNone:
      return "none";
  }
  return "none";
}

bool ChoiceOptions::has_limit(LimitKind kind) const {
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) { return limit.kind == kind; });
}

const MetricRow& JudgedCase::figure(Objective objective) const {
  return std::find_if(figures.begin(), figures.end(),
                      [&](const ObjectiveFigure& one) { return one.objective == objective; })
      ->row;
}

std::vector<CaseChoice> choose_cases(const std::vector<ChoiceCandidate>& candidates, const ChoiceOptions& options) {
  std::vector<const CaseRecord*> records;
  for (const ChoiceCandidate& one : candidates) records.push_back(one.one->record);
  std::vector<CaseChoice> choices;
  for (const WorkGroup& work : work_groups(records)) {
    std::vector<ChoiceCandidate> cases;
    for (const std::size_t member : work.members) cases.push_back(candidates[member]);
    choices.push_back(choice_of(work.label, cases, options));
  }
  return choices;
}

}  // namespace transformeter
