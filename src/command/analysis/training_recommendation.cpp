// One answer for each setting, from sets of cases that differ in that setting alone.
#include "analysis/training_recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "analysis/compare_cases.h"
#include "analysis/training_candidates.h"
#include "analysis/training_findings.h"

namespace transformeter {
namespace {

struct Subject {
  const char* name;
  const char* setting;
};

// In the order in which a user decides.
constexpr Subject kSubjects[] = {{"hardware", "device"},       {"precision", "precision"},
                                 {"batch_size", "batch_size"}, {"gradient_accumulation", "gradient_accumulation"},
                                 {"optimizer", "optimizer"},   {"learning_rate", "learning_rate"}};

double number_of(const std::string& option) {
  return std::strtod(option.c_str(), nullptr);
}

bool by_number(const ComparedOption& a, const ComparedOption& b) {
  return number_of(a.option) < number_of(b.option);
}

bool by_figure(const ComparedOption& a, const ComparedOption& b) {
  return a.figure.value > b.figure.value;
}

const ComparedOption& best_of(const ComparedSet& set) {
  return *std::min_element(set.options.begin(), set.options.end(), by_figure);
}

std::string option_text(const ComparedOption& one) {
  return fmt::format("{}: {}{}{} ({}{}{})", one.option, figure_text(one.figure), one.conditions.empty() ? "" : ", ",
                     one.conditions, one.figure.case_id, one.doubt.empty() ? "" : ", ", one.doubt);
}

std::vector<std::string> chosen_of(const ComparedSet& set) {
  std::vector<std::string> options;
  for (const ComparedOption& one : set.options) {
    if (one.is_chosen) options.push_back(one.option);
  }
  return options;
}

// Of a figure of learning; empty where the loss certainly fell.
std::string why_not_learning(const ComparedOption& one) {
  if (!one.figure.interval) return fmt::format("its {} has no interval", one.figure.name);
  return one.figure.interval->low > 0 ? "" : "its loss may not have fallen";
}

void choose_the_fastest(ComparedSet& set) {
  std::sort(set.options.begin(), set.options.end(), by_figure);
  const bool has_to_learn = !set.criterion.starts_with("throughput");
  const ComparedOption* best = nullptr;  // the first that may be chosen
  for (ComparedOption& one : set.options) {
    if (has_to_learn) one.why_not = why_not_learning(one);
    if (!one.why_not.empty()) continue;
    if (best == nullptr) best = &one;
    one.is_chosen = !is_clearly_less(one.figure, best->figure);
    if (!one.is_chosen) {
      one.why_not = fmt::format("{} of the best", percent_text(one.figure.value / best->figure.value));
    }
  }
  const auto chosen = std::count_if(set.options.begin(), set.options.end(), [](const auto& o) { return o.is_chosen; });
  if (chosen == 1) set.answer = chosen_of(set).front();
}

// Of batch sizes the smallest that is certainly within the threshold of every other, as in saturation_finding.
void choose_the_smallest_near_best(ComparedSet& set) {
  std::sort(set.options.begin(), set.options.end(), by_number);
  const ComparedOption& best = best_of(set);
  for (ComparedOption& one : set.options) {
    one.is_chosen = may_be_within(one.figure, best.figure, kSaturationShare);
    if (!one.is_chosen) one.why_not = fmt::format("{} of the best", percent_text(one.figure.value / best.figure.value));
  }
  const auto first =
      std::find_if(set.options.begin(), set.options.end(), [](const auto& one) { return one.is_chosen; });
  const bool is_sure = std::all_of(set.options.begin(), set.options.end(), [&](const ComparedOption& other) {
    return &other == &*first || must_be_within(first->figure, other.figure, kSaturationShare);
  });
  if (is_sure) set.answer = first->option;
}

// Only neighbours of the best make a range: beyond a rate that fails another may pass by luck.
void leave_out_beyond_failures(ComparedSet& set, const ComparedOption& best) {
  std::vector<double> failed;
  for (const ComparedOption& one : set.options) {
    if (!one.is_chosen && one.figure.interval) failed.push_back(number_of(one.option));
  }
  for (const OptionWithoutFigure& one : set.without_figure) {
    if (one.has_diverged) failed.push_back(number_of(one.option));
  }
  const double centre = number_of(best.option);
  for (ComparedOption& one : set.options) {
    const double rate = number_of(one.option);
    const bool is_beyond = std::any_of(failed.begin(), failed.end(), [&](double other) {
      return (rate < other && other < centre) || (centre < other && other < rate);
    });
    if (!one.is_chosen || !is_beyond) continue;
    one.is_chosen = false;
    one.why_not = fmt::format("a rate between it and {} fails", best.option);
  }
}

// A rate that learns: certainly falling loss, not certainly slower than the best, no steps skipped but the first ones.
void choose_the_range(ComparedSet& set) {
  std::sort(set.options.begin(), set.options.end(), by_number);
  const ComparedOption* best = nullptr;
  for (const ComparedOption& one : set.options) {
    const bool is_better = best == nullptr || one.figure.value > best->figure.value;
    if (one.skips.empty() && why_not_learning(one).empty() && is_better) best = &one;
  }
  for (ComparedOption& one : set.options) {
    one.why_not = one.skips.empty() ? why_not_learning(one) : one.skips;
    if (!one.why_not.empty()) continue;
    if (!may_be_within(one.figure, best->figure, 0)) {
      one.why_not = fmt::format("slower than {}", best->option);
    } else {
      one.is_chosen = true;
    }
  }
  if (best == nullptr) return;
  leave_out_beyond_failures(set, *best);
  set.answer = best->option;
}

// Whether the set contradicts `answer`: it has that option and does not choose it.
bool contradicts(const ComparedSet& set, const std::vector<std::string>& answer) {
  return std::any_of(set.options.begin(), set.options.end(), [&](const ComparedOption& one) {
    return !one.is_chosen && std::find(answer.begin(), answer.end(), one.option) != answer.end();
  });
}

std::string why_tentative(const ComparedSet& set) {
  std::vector<std::string> reasons;
  for (const ComparedOption& one : set.options) {
    if (!one.doubt.empty()) reasons.push_back(fmt::format("{} ({}) is {}", one.option, one.figure.case_id, one.doubt));
  }
  if (!set.between_replicates) {
    reasons.push_back(fmt::format("the intervals do not cover variance between processes; use --replicates {}",
                                  kMinReplicatesToCompare));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

void judge(Recommendation& made, bool is_range) {
  const ComparedSet& main = made.sets.front();
  std::vector<std::string> texts;
  for (const ComparedOption& one : main.options) texts.push_back(option_text(one));
  for (const OptionWithoutFigure& one : main.without_figure) {
    texts.push_back(fmt::format("{}: {} ({})", one.option, one.why, one.case_id));
  }
  made.options = main.answer.empty() || is_range ? chosen_of(main) : std::vector{main.answer};
  const bool is_cut = main.first_steps && !main.criterion.starts_with("throughput");
  const std::string over = is_cut ? fmt::format(" over the first {} steps of each", *main.first_steps) : "";
  const std::string by =
      fmt::format("by {}{} with {}: {}", main.criterion, over, main.settings, fmt::join(texts, "; "));
  if (made.options.empty()) {
    made.state = RecommendationState::kNonePasses;
    made.reason = "no value passes " + by;
    return;
  }
  made.statement = by;
  std::vector<std::string> against;
  for (const ComparedSet& set : made.sets) {
    if (contradicts(set, made.options)) {
      against.push_back(fmt::format("{} with {}", fmt::join(chosen_of(set), " or "), set.settings));
    } else {
      ++made.agreeing;
    }
  }
  if (main.answer.empty()) {
    made.state = RecommendationState::kNotDistinguishable;
    made.reason = fmt::format("{} cannot be distinguished: their intervals overlap or are missing",
                              fmt::join(made.options, " and "));
  } else if (!against.empty()) {
    made.state = RecommendationState::kDepends;
    made.reason = fmt::format("other settings reverse it: {}", fmt::join(against, "; "));
  } else if (const std::string why = why_tentative(main); !why.empty()) {
    made.state = RecommendationState::kTentative;
    made.reason = why;
  } else {
    made.state = RecommendationState::kSupported;
  }
}

// Why no two cases can be compared: one value, or values that never differ alone.
std::string why_not_compared(const std::vector<Candidate>& candidates, const Subject& subject) {
  std::set<std::string> values;
  for (const Candidate& one : candidates) values.insert(one.option(subject.setting));
  if (values.size() < 2) {
    return values.empty() ? "no case sets it" : fmt::format("only {} was measured", *values.begin());
  }
  std::vector<std::string> fewest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (candidates[i].option(subject.setting) == candidates[j].option(subject.setting)) continue;
      std::vector<std::string> others = candidates[i].differences_from(candidates[j], subject.setting);
      if (!others.empty() && (fewest.empty() || others.size() < fewest.size())) fewest = std::move(others);
    }
  }
  if (fewest.empty()) return "the cases lack the metric to compare";
  return fmt::format("{} were measured, but cases with different values also differ in {}", fmt::join(values, ", "),
                     fmt::join(fewest, ", "));
}

// A range that ends where the measured rates end.
void add_open_ends(Recommendation& made) {
  const ComparedSet& main = made.sets.front();
  const auto any_failed = [&](const std::function<bool(double)>& is_beyond) {
    return std::any_of(main.without_figure.begin(), main.without_figure.end(), [&](const OptionWithoutFigure& one) {
      return one.has_diverged && is_beyond(number_of(one.option));
    });
  };
  const ComparedOption& lowest = main.options.front();
  const ComparedOption& highest = main.options.back();
  if (lowest.is_chosen && !any_failed([&](double rate) { return rate < number_of(lowest.option); })) {
    made.not_compared.push_back(fmt::format("rates below {}: the range may continue", lowest.option));
  }
  if (highest.is_chosen && !any_failed([&](double rate) { return rate > number_of(highest.option); })) {
    made.not_compared.push_back(fmt::format("rates above {}: the range may continue", highest.option));
  }
}

bool has_conditions(const ComparedSet& set) {
  return std::any_of(set.options.begin(), set.options.end(), [](const auto& one) { return !one.conditions.empty(); });
}

void add_limits(Recommendation& made, const std::vector<Candidate>& candidates, const Subject& subject) {
  const std::string name = subject.name;
  const auto rests_on_speed = [](const ComparedSet& set) { return set.criterion.starts_with("throughput"); };
  const bool by_speed = std::all_of(made.sets.begin(), made.sets.end(), rests_on_speed);
  if (name == "optimizer" && by_speed) {
    made.not_compared.emplace_back("how far the loss falls: not every optimizer has a loss_convergence_rate");
  } else if (name == "optimizer") {
    made.not_compared.emplace_back("each optimizer at its own best learning rate: a set has one rate for all");
  } else if (name == "batch_size" || name == "gradient_accumulation" || name == "precision") {
    made.not_compared.emplace_back("model quality: this compares speed; losses are listed alongside");
  } else if (name == "learning_rate") {
    add_open_ends(made);
    for (const OptionWithoutFigure& one : made.sets.front().without_figure) {
      if (one.has_diverged) continue;
      made.not_compared.push_back(
          fmt::format("{}: unknown whether it learns: {} ({})", one.option, one.why, one.case_id));
    }
  } else if (name == "hardware" && has_conditions(made.sets.front())) {
    made.not_compared.emplace_back("machines with the same number of threads: each is shown at its fastest");
  }
  std::set<std::string> values;
  std::set<std::string> compared;
  for (const Candidate& one : candidates) values.insert(one.option(subject.setting));
  for (const ComparedSet& set : made.sets) {
    for (const ComparedOption& one : set.options) compared.insert(one.option);
    for (const OptionWithoutFigure& one : set.without_figure) compared.insert(one.option);
  }
  for (const std::string& value : values) {
    if (compared.count(value) == 0) {
      made.not_compared.push_back(fmt::format("{}: no other case differs from it only in {}", value, name));
    }
  }
}

Recommendation recommend(const std::vector<Candidate>& candidates, const Subject& subject) {
  Recommendation made;
  made.subject = subject.name;
  made.sets = compared_sets(candidates, subject.setting);
  const bool is_range = made.subject == "learning_rate";
  for (ComparedSet& set : made.sets) {
    if (is_range) {
      choose_the_range(set);
    } else if (made.subject == "batch_size") {
      choose_the_smallest_near_best(set);
    } else {
      choose_the_fastest(set);
    }
  }
  std::stable_sort(made.sets.begin(), made.sets.end(), [](const ComparedSet& a, const ComparedSet& b) {
    if (a.options.size() != b.options.size()) return a.options.size() > b.options.size();
    return a.criterion == b.criterion && best_of(a).figure.value > best_of(b).figure.value;
  });
  if (made.sets.empty()) {
    made.reason = why_not_compared(candidates, subject);
  } else {
    judge(made, is_range);
    add_limits(made, candidates, subject);
  }
  return made;
}

}  // namespace

std::string_view name_of(RecommendationState state) {
  switch (state) {
    case RecommendationState::kSupported:
      return "supported";
    case RecommendationState::kTentative:
      return "tentative";
    case RecommendationState::kNotDistinguishable:
      return "not_distinguishable";
    case RecommendationState::kDepends:
      return "depends";
    case RecommendationState::kNonePasses:
      return "none_passes";
    case RecommendationState::kNotCompared:
      return "not_compared";
  }
  return "not_compared";
}

std::vector<WorkloadRecommendation> recommend_training(const std::vector<AnalyzedRun>& runs) {
  std::vector<WorkloadRecommendation> workloads;
  for (const CandidateGroup& group : candidate_groups(runs)) {
    WorkloadRecommendation& made = workloads.emplace_back();
    made.model = group.model;
    made.task = group.task;
    made.data = group.data;
    made.content = group.content;
    made.left_out = group.left_out;
    for (const Candidate& one : group.candidates) {
      if (one.why_unusable.empty()) {
        made.cases.push_back(one.id);
      } else {
        made.left_out.push_back(fmt::format("{}: {}", one.id, one.why_unusable));
      }
    }
    for (const Subject& subject : kSubjects) made.recommendations.push_back(recommend(group.candidates, subject));
  }
  return workloads;
}

}  // namespace transformeter
