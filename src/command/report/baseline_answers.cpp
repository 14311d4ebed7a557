// Pairs are put together by the arm of their candidate.
#include "report/baseline_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/baseline_table.h"
#include "analysis/case_label.h"
#include "report/comparison_columns.h"

namespace transformeter {
namespace {

using Pairs = std::vector<const BaselinePair*>;

struct Arm {
  std::string label;     // of the candidates
  std::string baseline;  // label of what they are compared with
  Pairs pairs;
};

std::vector<Arm> arms_of(const AnalyzedRun& run, const BaselineTable& table) {
  const std::vector<std::string> axes = arm_axes(run, table);
  std::vector<Arm> arms;
  std::map<std::string, std::size_t> places;
  for (const BaselinePair& pair : table.pairs) {
    const std::string label = short_label(*pair.candidate->record, axes);
    const auto [place, is_new] = places.emplace(label, arms.size());
    if (is_new) arms.push_back({label, "", {}});
    Arm& arm = arms[place->second];
    arm.pairs.push_back(&pair);
    if (pair.baseline != nullptr) arm.baseline = short_label(*pair.baseline->record, axes);
  }
  return arms;
}

// " at b8 padding=0.5"; empty where all pairs stand at one place.
std::string place_text(const BaselineTable& table, const BaselinePair& pair) {
  return table.groups.empty() ? "" : " at " + short_label(*pair.candidate->record, table.groups);
}

std::string one_sentence(const BaselineTable& table, const Arm& arm) {
  const BaselinePair& pair = *arm.pairs.front();
  const SpeedComparison& speed = pair.speed;
  const std::string figures = speed.speed_up ? ", " + speed_up_words(*speed.speed_up, speed.level) : "";
  const std::string why = speed.reason.empty() ? "" : ": " + speed.reason;
  return fmt::format("{} vs. {}{}: {}{}{}.", arm.label, arm.baseline, place_text(table, pair), name_of(speed.answer),
                     figures, why);
}

// "faster in 6, undecided in 2".
std::string answer_counts(const Pairs& pairs) {
  std::vector<std::string> parts;
  for (const SpeedAnswer answer :
       {SpeedAnswer::kFaster, SpeedAnswer::kSame, SpeedAnswer::kSlower, SpeedAnswer::kUndecided}) {
    const auto count = std::count_if(pairs.begin(), pairs.end(),
                                     [&](const BaselinePair* pair) { return pair->speed.answer == answer; });
    if (count > 0) parts.push_back(fmt::format("{} in {}", name_of(answer), count));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Those that are decided or whose cases are both valid: what is doubtful goes into no mean.
Pairs counted_pairs(const Pairs& pairs) {
  Pairs counted;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(counted), [](const BaselinePair* pair) {
    const MetricRow* speed_up = find_row(*pair, "speed_up");
    const bool is_decided = pair->speed.answer != SpeedAnswer::kUndecided;
    const bool is_valid = why_doubted(*pair->baseline).empty() && why_doubted(*pair->candidate).empty();
    return speed_up != nullptr && speed_up->value && (is_decided || is_valid);
  });
  return counted;
}

double speed_up_of(const BaselinePair* pair) {
  return *find_row(*pair, "speed_up")->value;
}

// "fast is faster than pytorch in all 4 pairs", or the count of each answer.
std::string range_opening(const Arm& arm) {
  const SpeedAnswer answer = arm.pairs.front()->speed.answer;
  const bool is_one = answer != SpeedAnswer::kUndecided &&
                      std::all_of(arm.pairs.begin(), arm.pairs.end(),
                                  [&](const BaselinePair* pair) { return pair->speed.answer == answer; });
  if (!is_one) {
    return fmt::format("{} vs. {}, {} pairs: {}", arm.label, arm.baseline, arm.pairs.size(), answer_counts(arm.pairs));
  }
  const std::string relation = answer == SpeedAnswer::kSame ? "as fast as" : fmt::format("{} than", name_of(answer));
  return fmt::format("{} is {} {} in {} pairs", arm.label, relation, arm.baseline,
                     arm.pairs.size() == 2 ? "both" : fmt::format("all {}", arm.pairs.size()));
}

std::string range_sentence(const BaselineTable& table, const Arm& arm) {
  const Pairs counted = counted_pairs(arm.pairs);
  std::string text = range_opening(arm);
  if (!counted.empty()) {
    double log_sum = 0;
    for (const BaselinePair* pair : counted) log_sum += std::log(speed_up_of(pair));
    const auto [least, most] = std::minmax_element(
        counted.begin(), counted.end(),
        [](const BaselinePair* a, const BaselinePair* b) { return speed_up_of(a) < speed_up_of(b); });
    text += fmt::format("; speed-up from {}{} to {}{} (intervals in brackets), geometric mean {:.3f}",
                        speed_up_text(find_row(**least, "speed_up")), place_text(table, **least),
                        speed_up_text(find_row(**most, "speed_up")), place_text(table, **most),
                        std::exp(log_sum / static_cast<double>(counted.size())));
  }
  if (counted.size() < arm.pairs.size()) {
    text += fmt::format("; {} excluded from the mean (doubtful or missing)", arm.pairs.size() - counted.size());
  }
  return text + ".";
}

}  // namespace

std::vector<std::string> baseline_answers(const AnalyzedRun& run) {
  const std::optional<BaselineTable> table = baseline_table(run);
  if (!table) return {};
  if (!table->note.empty()) return {fmt::format("No comparison with the baseline: {}.", table->note)};
  std::vector<std::string> sentences;
  for (const Arm& arm : arms_of(run, *table)) {
    sentences.push_back(arm.pairs.size() == 1 ? one_sentence(*table, arm) : range_sentence(*table, arm));
  }
  return sentences;
}

}  // namespace transformeter
