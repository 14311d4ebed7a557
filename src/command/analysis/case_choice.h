// The best case of each group for one objective, within limits, and how sure that is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cost.h"
#include "analysis/level.h"
#include "analysis/objective.h"
#include "analysis/setting_effects.h"

namespace transformeter {

/// A choice whose probability of being the best is below it is undecided.
inline constexpr double kDecidedConfidence = 0.95;

/// A case that is the best in at least so many draws is a rival of the choice.
inline constexpr double kRivalShare = 0.05;

/// What a case may be held to.
enum class LimitKind { kLatencyP95, kMemory, kAccuracy, kDivergence };

/// The objective whose figure is held to such a limit; nothing for the p95 latency, which is none.
std::optional<Objective> objective_of(LimitKind kind);

/// "latency_p95", "memory", "accuracy", "divergence".
std::string_view name_of(LimitKind kind);

/// Of its bound: "s", "bytes", "ratio".
std::string_view unit_of(LimitKind kind);

/// Those on scores of texts, which are held against the value.
bool is_score(LimitKind kind);

/// Of an accuracy the case may not be below it; of all others it may not exceed it.
struct Limit {
  LimitKind kind = LimitKind::kLatencyP95;
  double bound = 0;  // in the metric's unit: s, bytes, ratio
};

struct ChoiceOptions {
  Objective objective = Objective::kThroughput;
  std::vector<Limit> limits = {};  // at most one of a kind

  bool has_limit(LimitKind kind) const;
};

/// A stored case of any scenario but `train`. Borrows all.
struct ChoiceCandidate {
  const AnalyzedCase* one = nullptr;
  const RunRecord* run = nullptr;
  const Price* price = nullptr;           // null: unknown
  std::optional<Level> latency_p95 = {};  // see latency_p95_level; for its limit alone
};

struct ObjectiveFigure {
  Objective objective = Objective::kThroughput;
  MetricRow row;  // without a value it has a reason
};

struct LimitCheck {
  Limit limit;
  MetricRow row;               // what is held to it
  std::optional<Level> level;  // that the case itself shows
  std::optional<Level> drawn;  // as draws take it, with what others show; nothing: there is no value
  bool is_kept = false;        // by the value

  bool is_for_more_samples = false;  // the value is missing, and more processes may give it

  /// Draws may lie on the other side.
  bool is_open() const { return drawn && drawn->log_error > 0; }
  /// Other processes may have a value on the other side, and nothing tells how likely that is.
  bool is_unknown_between_processes() const {
    return row.value && !is_score(limit.kind) && (!level || !level->is_between_processes);
  }
};

/// A case as it was judged.
struct JudgedCase {
  ChoiceCandidate candidate;
  std::vector<ObjectiveFigure> figures;  // of every objective, in their order
  std::vector<LimitCheck> limits;
  std::string why_not;              // it cannot be chosen; empty: it can
  std::optional<double> win_share;  // of draws in which it is the best; nothing: not drawn
  bool is_on_front = false;         // no other case that can be chosen is at least as good in all and better in one

  const MetricRow& figure(Objective objective) const;
  bool can_be_chosen() const { return why_not.empty(); }
};

/// What a limit does not let pass, of the cases that ran and are valid.
struct Exclusion {
  Limit limit;
  std::size_t broken = 0;              // cases that do not keep it
  std::size_t unknown = 0;             // that have no figure of it
  std::optional<std::size_t> nearest;  // place of the one that misses it by the least; nothing: none has a figure
};

enum class ChoiceState {
  kDecided,    // the confidence is at least kDecidedConfidence and from three processes, and nothing is in doubt
  kUndecided,  // below it, not known, or in doubt; or a case that may be better lacks a limit's figure
  kOnlyOne,    // no other case can be chosen, and it keeps its limits for sure
  kNone,       // no case can be chosen; there is a next measurement where some may keep their limits after all
};

/// "decided", "undecided", "only_one", "none".
std::string_view name_of(ChoiceState state);

/// What would decide it.
struct NextMeasurement {
  std::vector<std::size_t> cases;         // places, the choice first
  std::optional<std::size_t> replicates;  // of each; nothing: measuring does not help, and why says so
  std::string why;                        // how the number was found
  bool is_for_doubts = false;             // the figures are doubtful; measuring at once may not help
};

struct CaseChoice {
  std::string label;                     // of the work
  std::optional<CostUnit> cost_unit;     // of its costs, where prices are known
  std::vector<JudgedCase> cases;         // those that can be chosen, the best first, then the others
  std::optional<std::size_t> runner_up;  // place in `cases`: the other one that is most often the best
  /// Places of those that are excluded because a limit's figure is missing, and may be better than the choice.
  std::vector<std::size_t> unknown_rivals;
  ChoiceState state = ChoiceState::kNone;
  std::optional<double> confidence;  // probability that the first is the best
  std::string why_no_confidence;
  /// The choice or a rival has too few processes, or no case shows how much processes differ.
  bool covers_one_process = false;
  std::size_t borrowed_spreads = 0;  // cases of too few processes, for which the spread of others was taken
  bool lacks_spread = false;         // of some there was none to take, for the objective or a limit
  std::vector<std::string> doubts;   // "LABEL is doubtful (drift)", of the first and its rivals
  std::vector<Exclusion> exclusions;
  std::vector<Objective> front_objectives;  // that the front is over
  std::vector<std::string> not_on_front;    // "energy: LABEL has no energy: ..."
  std::optional<NextMeasurement> next;
  SettingEffects effects;
};

/// Groups in the order in which they are met. Throws Error(kBadInput) for prices in different currencies.
std::vector<CaseChoice> choose_cases(const std::vector<ChoiceCandidate>& candidates, const ChoiceOptions& options);

}  // namespace transformeter
