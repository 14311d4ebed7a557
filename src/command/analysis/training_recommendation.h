// Recommends training settings from stored cases (docs/training-diagnosis.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/training_finding.h"

namespace transformeter {

enum class RecommendationState {
  kSupported,           // told apart by intervals over 3 or more processes each, and no set of cases contradicts
  kTentative,           // told apart, but by intervals within processes, or by cases in doubt
  kNotDistinguishable,  // several options whose intervals overlap
  kDepends,             // told apart, and other settings turn the answer round
  kNonePasses,          // with no optimizer, or learning rate, did the loss certainly fall
  kNotCompared,         // no two cases differ in this setting alone
};

/// "supported", "tentative", "not_distinguishable", "depends", "none_passes", "not_compared".
std::string_view name_of(RecommendationState state);

/// One value of the setting in a set of cases that differ in nothing else.
struct ComparedOption {
  std::string option;                  // "8", "bf16_autocast", "cpu (AMD EPYC 7B13)"
  EvidenceFigure figure;               // of the set's criterion; its case_id is "RUN CASE"
  std::vector<EvidenceFigure> beside;  // other figures of the case that a reader weighs: loss, skipped steps, peaks
  std::string conditions;              // what else differs from the others: "threads 8"; mostly empty
  std::string doubt;                   // "doubtful (drift)"; empty for a valid case
  std::string skips;                   // what the verdict's note steps_skipped says; empty without one
  bool is_chosen = false;              // as good as any: not told apart from the best, or within its threshold
  std::string why_not;                 // why it is not chosen
};

/// A value that was tried but cannot be compared: it ran out of memory, failed, or diverged.
struct OptionWithoutFigure {
  std::string option;
  std::string case_id;  // "RUN CASE"
  std::string why;
  bool has_diverged = false;  // its loss became no number: the value does not learn; else that is not known
};

struct ComparedSet {
  std::string settings;                    // what its cases have in common
  std::string criterion;                   // a metric, or "loss_convergence_rate ÷ latency"
  std::optional<std::size_t> first_steps;  // that losses and their rates are of, where cases took different numbers
  bool between_replicates = false;         // every figure's interval is over 3 or more processes
  std::vector<ComparedOption> options;     // numbers ascend, else best first
  std::vector<OptionWithoutFigure> without_figure;
  std::string answer;  // the option to take; empty where several are chosen and none is preferred
};

struct Recommendation {
  std::string subject;  // "batch_size", ..., "learning_rate", "hardware"
  RecommendationState state = RecommendationState::kNotCompared;
  std::vector<std::string> options;  // the one, or those that are not told apart; of learning_rate the range's values
  std::string statement;             // the answer with its figures; empty where nothing was compared
  std::string reason;                // why the state is none of the first two
  std::vector<ComparedSet> sets;     // the one with the most options first: the answer is its
  std::size_t agreeing = 0;          // sets that do not contradict, the first included
  std::vector<std::string> not_compared;  // what the answer says nothing of
};

/// The cases of one task and one content of model and data.
struct WorkloadRecommendation {
  std::string model;
  std::string task;
  std::string data;
  std::string content;                // digits that differ where the content does; empty where it is not known
  std::vector<std::string> cases;     // "RUN CASE", those that have figures
  std::vector<std::string> left_out;  // "RUN CASE: why"
  std::vector<Recommendation> recommendations;
};

/// Borrows nothing that outlives the call. Runs in order of preference: of a case measured in several on one machine
/// the first that can be used counts. Empty when no run has training cases.
std::vector<WorkloadRecommendation> recommend_training(const std::vector<AnalyzedRun>& runs);

}  // namespace transformeter
