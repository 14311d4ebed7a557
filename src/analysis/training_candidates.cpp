// A set is what is left of the settings without one; the machine is a setting here, for stores may hold several.
#include "analysis/training_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/case_label.h"
#include "analysis/compare_cases.h"
#include "analysis/setting_summary.h"
#include "analysis/training_series.h"
#include "metrics/case_settings.h"

namespace transformeter {
namespace {

constexpr std::string_view kRate = "loss_convergence_rate";
constexpr std::string_view kRatePerSecond = "loss_convergence_rate ÷ latency";

std::string why_not_usable(const AnalyzedCase& one) {
  if (!one.is_ok()) {
    const std::string word(status_word(*one.record));
    return one.record->status_reason.empty() ? word : fmt::format("{}: {}", word, one.record->status_reason);
  }
  if (one.analysis.verdict.level == VerdictLevel::kInvalid) return why_doubted(one);
  const auto rate = measured_figure(one, "throughput_samples");
  return rate && rate->value > 0 ? "" : "it has no throughput_samples";
}

// Nothing where the case lacks a figure. A rate of learning may be negative: its lowest quotient is then that of the
// shortest step.
std::optional<EvidenceFigure> rate_per_second(const AnalyzedCase& one) {
  const auto rate = measured_figure(one, kRate);
  const auto step = measured_figure(one, "latency");
  if (!rate || !step || !(step->value > 0)) return std::nullopt;
  EvidenceFigure figure{std::string(kRatePerSecond), "1/s", rate->value / step->value, std::nullopt, ""};
  if (rate->interval && step->interval && step->interval->low > 0) {
    const auto quotient = [&](double part, double if_positive, double if_negative) {
      return part / (part > 0 ? if_positive : if_negative);
    };
    figure.interval = Interval{quotient(rate->interval->low, step->interval->high, step->interval->low),
                               quotient(rate->interval->high, step->interval->low, step->interval->high)};
  }
  return figure;
}

std::optional<EvidenceFigure> criterion_figure(const AnalyzedCase& one, std::string_view criterion) {
  return criterion == kRatePerSecond ? rate_per_second(one) : measured_figure(one, criterion);
}

bool has_figure(const Candidate& one, std::string_view criterion) {
  return one.why_unusable.empty() && criterion_figure(*one.the_case, criterion).has_value();
}

// The one that most cases have, of several the first.
std::string_view criterion_of(const std::vector<const Candidate*>& cases, const std::string& setting) {
  std::vector<std::string_view> criteria{"throughput_useful_tokens", "throughput_samples"};
  if (setting == "optimizer") criteria.insert(criteria.begin(), kRatePerSecond);
  if (setting == "learning_rate") criteria = {kRate};
  const auto count = [&](std::string_view criterion) {
    return std::count_if(cases.begin(), cases.end(), [&](const Candidate* one) { return has_figure(*one, criterion); });
  };
  return *std::max_element(criteria.begin(), criteria.end(),
                           [&](std::string_view a, std::string_view b) { return count(a) < count(b); });
}

std::string why_no_figure(const Candidate& one, std::string_view criterion) {
  if (!one.why_unusable.empty()) return one.why_unusable;
  const MetricRow* row = shown_metric(*one.the_case, criterion == kRatePerSecond ? kRate : criterion);
  return row == nullptr || row->reason.empty() ? fmt::format("no {}", criterion)
                                               : fmt::format("no {}: {}", criterion, row->reason);
}

bool is_between_replicates(const AnalyzedCase& one, std::string_view criterion) {
  const MetricRow* row = shown_metric(one, criterion == kRatePerSecond ? kRate : criterion);
  return row != nullptr && row->interval == IntervalKind::kBetweenReplicates && row->n >= kMinReplicatesToCompare;
}

ComparedOption option_of(const Candidate& one, const std::string& setting, std::string_view criterion) {
  ComparedOption option;
  option.option = one.option(setting);
  option.figure = *criterion_figure(*one.the_case, criterion);
  option.figure.case_id = one.id;
  for (const char* metric : {"latency", "loss", "loss_convergence_rate", "skipped_steps", "peak_allocated", "peak_rss",
                             "cost_per_step", "energy"}) {
    if (metric == criterion) continue;
    if (auto figure = measured_figure(*one.the_case, metric)) {
      figure->case_id = one.id;
      option.beside.push_back(std::move(*figure));
    }
  }
  return option;
}

ComparedSet compared_set(const std::vector<const Candidate*>& cases, const std::string& setting) {
  ComparedSet set;
  const std::string_view criterion = criterion_of(cases, setting);
  set.settings = settings_text(*cases.front()->the_case->record, {setting, "model", "task", "data"});
  set.criterion = criterion;
  set.between_replicates = true;
  for (const Candidate* one : cases) {
    if (!has_figure(*one, criterion)) {
      set.without_figure.push_back({one->option(setting), one->id, why_no_figure(*one, criterion)});
      continue;
    }
    set.options.push_back(option_of(*one, setting, criterion));
    set.between_replicates = set.between_replicates && is_between_replicates(*one->the_case, criterion);
  }
  return set;
}

std::string set_key(const Candidate& one, const std::string& setting) {
  const std::string rest = key_without(one.the_case->record->requested, {setting});
  return setting == "device" ? rest : one.machine + " " + rest;
}

// Their full names: two folders may end alike.
std::string workload_key_of(const CaseRecord& record) {
  Json key = Json::array();
  for (const char* name : {"model", "task", "data"}) key.push_back(record.requested.value(name, Json()));
  return canonical_json(key);
}

std::string machine_name_of(const RunRecord& run) {
  return text_of_path(run.host, {"cpu", "model"}).value_or("");
}

}  // namespace

std::string Candidate::option(const std::string& setting) const {
  std::string value = training_setting(*the_case->record, setting);
  if (setting != "device" || machine_name.empty()) return value;
  return fmt::format("{} ({})", value.empty() ? "device not known" : value, machine_name);
}

std::vector<std::string> Candidate::differences_from(const Candidate& other, const std::string& setting) const {
  std::vector<std::string> names = differing_requests({the_case->record, other.the_case->record});
  std::erase(names, setting);
  if (setting != "device" && machine != other.machine) names.emplace_back("machine");
  return names;
}

std::vector<CandidateGroup> candidate_groups(const std::vector<AnalyzedRun>& runs) {
  std::vector<CandidateGroup> groups;
  std::map<std::string, std::size_t> places;
  std::map<std::string, std::string> known;  // settings and machine to the id of the case that counts
  for (const AnalyzedRun& run : runs) {
    const std::string machine = text_of_path(run.run->host, {"fingerprint"}).value_or(run.run->id);
    for (const AnalyzedCase& one : run.cases) {
      const CaseRecord& record = *one.record;
      if (!is_training(record)) continue;
      const auto [place, is_new] = places.try_emplace(workload_key_of(record), groups.size());
      if (is_new) {
        groups.push_back({training_setting(record, "model"),
                          training_setting(record, "task"),
                          training_setting(record, "data"),
                          {},
                          {}});
      }
      CandidateGroup& group = groups[place->second];
      const std::string id = fmt::format("{} {}", run.run->id, record.id);
      if (!record.status) {
        group.left_out.push_back(fmt::format("{}: pending", id));
        continue;
      }
      const auto [first, is_first] = known.try_emplace(machine + " " + canonical_json(record.requested), id);
      if (is_first) {
        group.candidates.push_back({id, &one, machine, machine_name_of(*run.run), why_not_usable(one)});
      } else {
        group.left_out.push_back(fmt::format("{}: the same case as {}, which counts", id, first->second));
      }
    }
  }
  return groups;
}

std::vector<ComparedSet> compared_sets(const std::vector<Candidate>& candidates, const std::string& setting) {
  std::vector<std::vector<const Candidate*>> sets;
  std::map<std::string, std::size_t> places;
  for (const Candidate& one : candidates) {
    if (one.option(setting).empty()) continue;
    const auto [place, is_new] = places.try_emplace(set_key(one, setting), sets.size());
    if (is_new) sets.emplace_back();
    sets[place->second].push_back(&one);
  }
  std::vector<ComparedSet> compared;
  for (const std::vector<const Candidate*>& cases : sets) {
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
