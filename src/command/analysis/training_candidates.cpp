// A set is what is left of the settings without one; the machine is a setting here, for stores may hold several.
#include "analysis/training_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/candidate_figures.h"
#include "analysis/candidate_key.h"
#include "analysis/case_label.h"
#include "analysis/compare_cases.h"
#include "analysis/setting_summary.h"
#include "analysis/training_series.h"
#include "metrics/case_settings.h"
#include "schema/divergence.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

bool has_diverged(const CaseRecord& record) {
  return record.status == Status::kFailed && record.status_reason.find(kDivergedLoss) != std::string::npos;
}

std::string skips_of(const AnalyzedCase& one) {
  const std::vector<Finding>& notes = one.analysis.verdict.notes;
  const auto found =
      std::find_if(notes.begin(), notes.end(), [](const Finding& note) { return note.name == "steps_skipped"; });
  return found == notes.end() ? "" : found->detail;
}

// The one that most cases have, of several the first.
std::string_view criterion_of(const std::vector<const Candidate*>& cases, const CandidateFigures& figures,
                              const std::string& setting) {
  std::vector<std::string_view> criteria{"throughput_useful_tokens", "throughput_samples"};
  if (setting == "optimizer") criteria.insert(criteria.begin(), kConvergencePerSecond);
  if (setting == "learning_rate") criteria = {kConvergenceRate};
  const auto count = [&](std::string_view criterion) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const Candidate* one) { return figures.figure(*one, criterion).has_value(); });
  };
  return *std::max_element(criteria.begin(), criteria.end(),
                           [&](std::string_view a, std::string_view b) { return count(a) < count(b); });
}

ComparedOption option_of(const Candidate& one, const CandidateFigures& figures, std::string_view criterion) {
  ComparedOption option;
  option.figure = *figures.figure(one, criterion);
  option.doubt = doubt_text(*one.the_case);
  option.skips = skips_of(*one.the_case);
  for (const char* metric : {"latency", "loss", "loss_convergence_rate", "skipped_steps", "peak_allocated", "peak_rss",
                             "cost_per_step", "energy"}) {
    if (metric == criterion) continue;
    if (auto figure = figures.figure(one, metric)) option.beside.push_back(std::move(*figure));
  }
  return option;
}

std::string threads_of(const Candidate& one) {
  return training_setting(*one.the_case->record, "threads");
}

ComparedSet compared_set(const std::vector<const Candidate*>& cases, const std::string& setting) {
  ComparedSet set;
  const CandidateFigures figures(cases);
  const std::string_view criterion = criterion_of(cases, figures, setting);
  const bool threads_differ = std::any_of(
      cases.begin(), cases.end(), [&](const Candidate* one) { return threads_of(*one) != threads_of(*cases.front()); });
  std::vector<std::string> unsaid{setting, "model", "task", "data"};
  if (threads_differ) unsaid.emplace_back("threads");
  set.settings = settings_text(*cases.front()->the_case->record, unsaid);
  set.criterion = criterion;
  set.first_steps = figures.first_steps();
  set.between_replicates = true;
  for (const Candidate* one : cases) {
    if (!figures.figure(*one, criterion)) {
      set.without_figure.push_back(
          {one->option(setting), one->id, figures.why_none(*one, criterion), has_diverged(*one->the_case->record)});
      continue;
    }
    ComparedOption& option = set.options.emplace_back(option_of(*one, figures, criterion));
    option.option = one->option(setting);
    if (threads_differ) option.conditions = "threads " + threads_of(*one);
    set.between_replicates = set.between_replicates && figures.is_between_replicates(*one, criterion);
  }
  return set;
}

// Within a group model and data are the same, whatever they are called.
std::string set_key(const Candidate& one, const std::vector<std::string>& settings) {
  std::vector<std::string> without{"model", "data"};
  without.insert(without.end(), settings.begin(), settings.end());
  const bool is_hardware = std::find(settings.begin(), settings.end(), "device") != settings.end();
  const std::string rest = key_without(one.the_case->record->requested, without);
  return is_hardware ? rest : one.machine + " " + rest;
}

using SetOfCases = std::vector<const Candidate*>;

std::vector<SetOfCases> sets_by(const SetOfCases& cases, const std::vector<std::string>& settings) {
  std::vector<SetOfCases> sets;
  std::map<std::string, std::size_t> places;
  for (const Candidate* one : cases) {
    const auto [place, is_new] = places.try_emplace(set_key(*one, settings), sets.size());
    if (is_new) sets.emplace_back();
    sets[place->second].push_back(one);
  }
  return sets;
}

double rate_of(const Candidate& one) {
  const auto rate = one.why_unusable.empty() ? measured_figure(*one.the_case, "throughput_samples") : std::nullopt;
  return rate ? rate->value : -1;
}

// Of each machine and device the fastest number of threads.
SetOfCases fastest_of_each(const SetOfCases& cases) {
  SetOfCases fastest;
  for (const Candidate* one : cases) {
    const auto known = std::find_if(fastest.begin(), fastest.end(), [&](const Candidate* other) {
      return other->machine == one->machine && other->option("device") == one->option("device");
    });
    if (known == fastest.end()) {
      fastest.push_back(one);
    } else if (rate_of(*one) > rate_of(**known)) {
      *known = one;
    }
  }
  return fastest;
}

// How many threads are best is the machine's affair: `auto` is stored as the number of its cores. On one machine
// threads are a setting like any other.
std::vector<SetOfCases> hardware_sets(const SetOfCases& cases) {
  std::vector<SetOfCases> sets;
  for (const SetOfCases& set : sets_by(cases, {"device", "threads"})) {
    const bool is_one_machine =
        std::all_of(set.begin(), set.end(), [&](const Candidate* one) { return one->machine == set.front()->machine; });
    if (is_one_machine) {
      for (SetOfCases& part : sets_by(set, {"device"})) sets.push_back(std::move(part));
    } else {
      sets.push_back(fastest_of_each(set));
    }
  }
  return sets;
}

std::string machine_name_of(const RunRecord& run) {
  return text_of_path(run.host, {"cpu", "model"}).value_or("");
}

}  // namespace

std::string Candidate::option(const std::string& setting) const {
  std::string value = training_setting(*the_case->record, setting);
  if (setting != "device" || machine_name.empty()) return value;
  return fmt::format("{} ({})", value.empty() ? "unknown device" : value, machine_name);
}

std::vector<std::string> Candidate::differences_from(const Candidate& other, const std::string& setting) const {
  std::vector<std::string> names = differing_requests({the_case->record, other.the_case->record});
  const bool is_hardware = setting == "device";
  std::erase_if(names, [&](const std::string& name) {
    const bool is_the_machines = is_hardware && name == "threads" && machine != other.machine;
    return name == setting || name == "model" || name == "data" || is_the_machines || !tells_cases_apart(name);
  });
  if (!is_hardware && machine != other.machine) names.emplace_back("machine");
  return names;
}

namespace {

// Groups by content, and keeps of a case that was measured several times the first that can be used.
class Grouping {
 public:
  void add(const AnalyzedRun& run) {
    const WorkloadKeys keys(run);
    const std::string machine = text_of_path(run.run->host, {"fingerprint"}).value_or(run.run->id);
    for (const AnalyzedCase& one : run.cases) {
      const CaseRecord& record = *one.record;
      if (!is_train(record.requested)) continue;
      CandidateGroup& group = group_of(record, keys);
      const std::string id = fmt::format("{} {}", run.run->id, record.id);
      if (!record.status) {
        group.left_out.push_back(fmt::format("{}: pending", id));
        continue;
      }
      const std::string key =
          fmt::format("{} {} {}", machine, keys.key(record), key_without(record.requested, {"model", "data"}));
      add(group, key, {id, &one, machine, machine_name_of(*run.run), why_not_usable(one)});
    }
  }

  std::vector<CandidateGroup> take() { return std::move(groups_); }

 private:
  CandidateGroup& group_of(const CaseRecord& record, const WorkloadKeys& keys) {
    const auto [place, is_new] = places_.try_emplace(keys.key(record), groups_.size());
    if (is_new) {
      groups_.push_back({training_setting(record, "model"),
                         training_setting(record, "task"),
                         training_setting(record, "data"),
                         keys.content(record),
                         {},
                         {}});
    }
    return groups_[place->second];
  }

  void add(CandidateGroup& group, const std::string& key, Candidate candidate) {
    const auto [place, is_first] = known_.try_emplace(key, group.candidates.size());
    if (is_first) {
      group.candidates.push_back(std::move(candidate));
      return;
    }
    Candidate& known = group.candidates[place->second];
    const bool is_better = !known.why_unusable.empty() && candidate.why_unusable.empty();
    const Candidate& kept = is_better ? candidate : known;
    const Candidate& other = is_better ? known : candidate;
    const std::string why = other.why_unusable.empty() ? "" : other.why_unusable + "; ";
    group.left_out.push_back(fmt::format("{}: {}duplicate of {}", other.id, why, kept.id));
    if (is_better) known = std::move(candidate);
  }

  std::vector<CandidateGroup> groups_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::size_t> known_;  // a case as asked for, its machine and content to its place in the group
};

}  // namespace

std::vector<CandidateGroup> candidate_groups(const std::vector<AnalyzedRun>& runs) {
  Grouping grouping;
  for (const AnalyzedRun& run : runs) grouping.add(run);
  return grouping.take();
}

std::vector<ComparedSet> compared_sets(const std::vector<Candidate>& candidates, const std::string& setting) {
  SetOfCases tried;
  for (const Candidate& one : candidates) {
    if (!one.option(setting).empty()) tried.push_back(&one);
  }
  std::vector<ComparedSet> compared;
  for (const SetOfCases& cases : setting == "device" ? hardware_sets(tried) : sets_by(tried, {setting})) {
    std::set<std::string> options;
    for (const Candidate* one : cases) options.insert(one->option(setting));
    ComparedSet set = compared_set(cases, setting);
    // Of learning rates one that learns is compared with those that do not.
    const std::size_t needed = setting == "learning_rate" ? 1 : 2;
    if (options.size() >= 2 && set.options.size() >= needed) compared.push_back(std::move(set));
  }
  return compared;
}

}  // namespace transformeter
