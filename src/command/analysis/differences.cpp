// Facts of the machine are of whole runs; texts, kernels and workers are of pairs of cases.
#include "analysis/differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "analysis/case_label.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr const char* kNone = "none";

// In the order of the cases, each once; empty where none has the setting.
std::vector<std::string> texts_of(const DifferenceSide& side, std::string_view setting) {
  std::vector<std::string> texts;
  for (const CaseRecord* one : side.cases) {
    std::string text = setting_value_text(*one, setting);
    if (text.empty() || std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
    texts.push_back(std::move(text));
  }
  return texts;
}

// A setting of the whole run is in its plan alone.
std::vector<std::string> texts_of_plan(const RunRecord& run, const SettingTerm& term) {
  const Json::json_pointer place(fmt::format("/{}/values", term.name));
  std::vector<std::string> texts;
  if (!run.settings.is_object() || !run.settings.contains(place) || !run.settings.at(place).is_array()) return texts;
  for (const Json& value : run.settings.at(place)) texts.push_back(setting_text(value));
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  return texts.empty() ? kNone : fmt::format("{}", fmt::join(texts, ","));
}

// Which results are kept where, and under which name; a worker is known by its build.
bool is_of_bookkeeping(const SettingTerm& term) {
  return term.topic == SettingTopic::kOutput || term.name == "worker" || term.name == kArm;
}

void add_settings_between(const DifferenceSide& before, const DifferenceSide& after, std::vector<Difference>& found) {
  for (const SettingTerm& term : setting_terms()) {
    if (is_of_bookkeeping(term)) continue;
    const bool is_of_run = term.group == SettingGroup::kRun;
    const std::vector<std::string> from = is_of_run ? texts_of_plan(*before.run, term) : texts_of(before, term.name);
    const std::vector<std::string> to = is_of_run ? texts_of_plan(*after.run, term) : texts_of(after, term.name);
    if (std::set(from.begin(), from.end()) == std::set(to.begin(), to.end())) continue;
    const bool is_newer = from.empty() != to.empty() && joined(from.empty() ? to : from) == term.initial;
    if (is_newer) continue;
    found.push_back(
        {is_of_run ? Cause::kMeasuring : Cause::kSettings, std::string(term.name), joined(from), joined(to)});
  }
}

void add_if_other(Cause cause, const std::string& name, const std::string& from, const std::string& to,
                  std::vector<Difference>& found) {
  if (is_known_change(from, to)) found.push_back({cause, name, from, to});
}

// Of objects what differs in them: "mitigations: retbleed".
void add_fact_between(const Json& before, const Json& after, Cause cause, const std::string& name,
                      const std::string& place, std::vector<Difference>& found) {
  const Json::json_pointer pointer(place);
  const auto is_object = [&](const Json& json) {
    return json.is_object() && json.contains(pointer) && json.at(pointer).is_object();
  };
  if (!is_object(before) || !is_object(after)) {
    return add_if_other(cause, name, fact_text(before, place), fact_text(after, place), found);
  }
  for (const auto& [key, value] : before.at(pointer).items()) {
    add_fact_between(before, after, cause, fmt::format("{}: {}", name, key), (pointer / key).to_string(), found);
  }
}

void add_host_between(const RunRecord& before, const RunRecord& after, std::vector<Difference>& found) {
  for (const RunFact& fact : run_facts()) {
    if (is_of_worker(fact)) continue;
    add_fact_between(before.host, after.host, fact.cause, fact.name, fact.place, found);
  }
}

bool has_other_workload_setting(const CaseRecord& before, const CaseRecord& after) {
  const std::span<const SettingTerm> terms = setting_terms();
  return std::any_of(terms.begin(), terms.end(), [&](const SettingTerm& term) {
    const std::string name(term.name);
    return term.group == SettingGroup::kWorkload &&
           before.requested.value(name, Json()) != after.requested.value(name, Json());
  });
}

// By the hashes of their files, so far as both cases know them.
void add_workload_between(const CaseRecord& before, const CaseRecord& after, std::vector<Difference>& found) {
  if (before.workload_key.empty() || after.workload_key.empty() || before.workload_key == after.workload_key) return;
  const std::size_t known = found.size();
  for (const char* name : {"model", "data"}) {
    add_fact_between(before.effective, after.effective, Cause::kWorkload, name, fmt::format("/workload/{}", name),
                     found);
  }
  if (found.size() > known || has_other_workload_setting(before, after)) return;
  add_if_other(Cause::kWorkload, "workload", shown_hash(before.workload_key), shown_hash(after.workload_key), found);
}

void add_kernels_between(const CaseRecord& before, const CaseRecord& after, std::vector<Difference>& found) {
  for (const char* name : {"attention_kernel", "attention_kernel_prefill", "attention_kernel_decode", "linear_kernel",
                           "allocator", "instruction_set"}) {
    if (before.requested.value(name, Json()) != after.requested.value(name, Json())) continue;  // told as a setting
    const std::string place = fmt::format("/{}", name);
    add_if_other(Cause::kKernels, name, fact_text(before.effective, place), fact_text(after.effective, place), found);
  }
}

void add_worker_between(const WorkerFacts& before, const WorkerFacts& after, std::vector<Difference>& found) {
  if (!before.path.empty() && !after.path.empty()) {
    add_if_other(Cause::kWorker, "worker", before.path, after.path, found);
  }
  for (const RunFact& fact : run_facts()) {
    if (!is_of_worker(fact)) continue;
    add_fact_between(before.build, after.build, fact.cause, fact.name, place_in_worker(fact), found);
  }
}

std::vector<Difference> differences_of(const RunRecord& before, const RunRecord& after, const DifferencePair& pair) {
  std::vector<Difference> found;
  add_workload_between(*pair.before, *pair.after, found);
  add_kernels_between(*pair.before, *pair.after, found);
  add_worker_between(worker_of(before, *pair.before), worker_of(after, *pair.after), found);
  add_if_other(Cause::kDevice, "GPU", gpu_name(*pair.before), gpu_name(*pair.after), found);
  return found;
}

// Each once, with the pairs that have it, which are not named where all have.
void add_pairs_between(const DifferenceSide& before, const DifferenceSide& after,
                       const std::vector<DifferencePair>& pairs, std::vector<Difference>& found) {
  std::vector<Difference> all;
  for (const DifferencePair& pair : pairs) {
    for (Difference& one : differences_of(*before.run, *after.run, pair)) {
      auto known = std::find_if(all.begin(), all.end(), [&](const Difference& other) {
        return other.cause == one.cause && other.text() == one.text();
      });
      if (known == all.end()) known = all.insert(all.end(), std::move(one));
      known->cases.push_back(pair.label);
    }
  }
  for (Difference& one : all) {
    if (one.cases.size() == pairs.size()) one.cases.clear();
    found.push_back(std::move(one));
  }
}

}  // namespace

std::string Difference::text() const {
  return fmt::format("{} {} → {}", name, before, after);
}

std::vector<Difference> differences_between(const DifferenceSide& before, const DifferenceSide& after,
                                            const std::vector<DifferencePair>& pairs) {
  std::vector<Difference> found;
  add_settings_between(before, after, found);
  add_pairs_between(before, after, pairs, found);
  if (pairs.empty()) {  // no case tells which worker it had: the runs do
    add_worker_between({"", before.run->host.value("worker", Json())}, {"", after.run->host.value("worker", Json())},
                       found);
  }
  add_host_between(*before.run, *after.run, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Difference& one, const Difference& other) { return one.cause < other.cause; });
  const std::string host_before = fact_text(before.run->host, kFingerprintPlace);
  const std::string host_after = fact_text(after.run->host, kFingerprintPlace);
  if (found.empty()) add_if_other(Cause::kProcessor, "host", host_before, host_after, found);
  return found;
}

}  // namespace transformeter
