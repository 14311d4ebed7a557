// A case's key is its requested settings without those that the sides differ in.
#include "analysis/case_pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/case_label.h"
#include "analysis/case_order.h"
#include "analysis/compare_cases.h"
#include "analysis/run_facts.h"
#include "base/error.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

std::vector<CaseRecord> requested_of(const std::vector<const CaseRecord*>& before,
                                     const std::vector<const CaseRecord*>& after) {
  std::vector<CaseRecord> records;  // as far as they tell cases apart
  for (const auto* side : {&before, &after}) {
    for (const CaseRecord* one : *side) records.emplace_back().requested = one->requested;
  }
  return records;
}

bool names_arm(const RunSelection& side) {
  return std::any_of(side.filters.begin(), side.filters.end(),
                     [](const SettingFilter& filter) { return filter.first == kArm; });
}

std::set<std::string> values_of(const std::vector<const CaseRecord*>& cases, const std::string& setting) {
  std::set<std::string> values;
  for (const CaseRecord* one : cases) values.insert(canonical_json(one->requested.value(setting, Json())));
  return values;
}

// By filters; where asked, and of the arms of a live comparison, whose arm that is, also what each has one value of.
std::set<std::string> named_settings(const RunSelection& before, const std::vector<const CaseRecord*>& from,
                                     const RunSelection& after, const std::vector<const CaseRecord*>& to,
                                     PairAcross across) {
  std::set<std::string> named;
  for (const RunSelection* side : {&before, &after}) {
    for (const SettingFilter& filter : side->filters) named.insert(filter.first);
  }
  const bool are_arms = names_arm(before) && names_arm(after);
  if (!are_arms && across == PairAcross::kNamed) return named;
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    const std::set<std::string> values = values_of(from, name);
    const std::set<std::string> others = values_of(to, name);
    if (values.size() == 1 && others.size() == 1 && values != others) named.insert(name);
  }
  return named;
}

// What the sides differ in by choice, and what follows from that: not what decides how much of the machine is used.
std::vector<std::string> arm_of(const std::set<std::string>& named, const std::vector<CaseRecord>& records) {
  std::set<std::string> arm = named;
  if (arm.empty()) return {};
  for (const std::string& setting : following_settings(records)) {
    if (may_follow(setting)) arm.insert(setting);
  }
  return {arm.begin(), arm.end()};
}

std::map<std::string, const CaseRecord*> by_key(const RunSelection& side, const std::vector<const CaseRecord*>& cases,
                                                const std::vector<std::string>& arm) {
  std::map<std::string, const CaseRecord*> keyed;
  for (const CaseRecord* one : cases) {
    const auto [place, is_new] = keyed.emplace(key_without(one->requested, arm), one);
    if (is_new) continue;
    std::vector<CaseRecord> both(2);
    both[0].requested = place->second->requested;
    both[1].requested = one->requested;
    const std::vector<std::string> differing = differing_settings(both);
    const std::string both_text = fmt::format("{}: cases {} and {}", side.name, place->second->id, one->id);
    if (differing.empty()) throw Error(ErrorKind::kBadInput, both_text + " were asked for with the same settings");
    throw Error(ErrorKind::kBadInput, fmt::format("{} differ in {} alone; choose one, e.g. '{}{}{}=...'", both_text,
                                                  fmt::join(differing, ", "), side.name,
                                                  side.filters.empty() ? ":" : ",", differing.front()));
  }
  return keyed;
}

bool is_unsettled(const std::vector<CaseRecord>& records, const std::string& setting) {
  return std::any_of(records.begin(), records.end(),
                     [&](const CaseRecord& one) { return one.requested.value(setting, Json()) == "auto"; });
}

// What tells pairs apart; where nothing does, what a reader asks for first. What both sides differ in is in no label.
std::vector<std::string> axes_of(const std::vector<CaseRecord>& records, const std::vector<std::string>& arm) {
  const auto is_of_arm = [&](const std::string& axis) { return std::find(arm.begin(), arm.end(), axis) != arm.end(); };
  std::vector<std::string> axes = varying_settings(records);
  std::erase_if(axes, [&](const std::string& axis) { return is_of_arm(axis) || is_unsettled(records, axis); });
  if (!axes.empty()) return axes;
  axes = {"model", "batch_size", "sequence_length", "prompt_length", "new_tokens", "precision"};
  std::erase_if(axes, is_of_arm);
  return axes;
}

// Slices of different runs were not measured side by side, whatever their rounds.
AnalyzedCase analyzed(const CaseRecord& record, const std::string& label, const char* side, bool is_of_one_run) {
  AnalyzedCase one{&record, analysis_of(record), fmt::format("{} {}", label, side)};
  if (!is_of_one_run) one.analysis.slices.clear();
  return one;
}

void add_facts(const RunRecord& before, const RunRecord& after, FactUse use, std::vector<std::string>& differences) {
  for (const RunFact& fact : run_facts()) {
    if (fact.use != use) continue;
    const std::string from = fact_text(before.host, fact.place);
    const std::string to = fact_text(after.host, fact.place);
    if (is_known_change(from, to)) differences.push_back(fmt::format("{} {} → {}", fact.name, from, to));
  }
}

void add_once(std::vector<std::string>& differences, std::string text) {
  if (std::find(differences.begin(), differences.end(), text) == differences.end()) {
    differences.push_back(std::move(text));
  }
}

std::string change_of_setting(const CaseRecord& before, const CaseRecord& after, std::string_view setting) {
  std::string from = setting_value_text(before, setting);
  std::string to = setting_value_text(after, setting);
  if (from == to) {  // short texts of paths
    from = setting_text(before.requested.value(std::string(setting), Json()));
    to = setting_text(after.requested.value(std::string(setting), Json()));
  }
  return fmt::format("{} {} → {}", setting, from.empty() ? "none" : from, to.empty() ? "none" : to);
}

// A setting that differs in workload, scenario or precision makes the sides not comparable.
void add_settings(const CasePair& pair, PairedCases& paired) {
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    const Json& from = pair.before->record->requested;
    const Json& to = pair.after->record->requested;
    if (told_value(from, name) == told_value(to, name)) continue;
    if (term.name == kArm) continue;
    add_once(is_crossing(term) ? paired.crossed : paired.changes,
             change_of_setting(*pair.before->record, *pair.after->record, term.name));
  }
}

// "worker build-old/w → build/w" of two programs, and what their builds differ in, as far as both are known.
void add_workers(const WorkerFacts& before, const WorkerFacts& after, std::vector<std::string>& changes) {
  if (before.path != after.path && !before.path.empty() && !after.path.empty()) {
    add_once(changes, fmt::format("worker {} → {}", before.path, after.path));
  }
  for (const RunFact& fact : run_facts()) {
    if (fact.use != FactUse::kBuild) continue;
    const std::string from = fact_text(before.build, place_in_worker(fact));
    const std::string to = fact_text(after.build, place_in_worker(fact));
    if (is_known_change(from, to)) add_once(changes, fmt::format("{} {} → {}", fact.name, from, to));
  }
}

// What no setting tells: another GPU of the same number, other texts in a file of the same
// name.
void add_reported(const CasePair& pair, PairedCases& paired) {
  const std::string from = gpu_name(*pair.before->record);
  const std::string to = gpu_name(*pair.after->record);
  if (is_known_change(from, to)) add_once(paired.crossed, fmt::format("GPU {} → {}", from, to));
  const std::string why = why_no_pair(*pair.before, *pair.after);
  if (!why.empty() && paired.crossed.empty()) add_once(paired.crossed, why);
}

// Alike in all that is named, and yet another machine. A new kernel changes the fingerprint, too.
void add_fingerprint(const RunSelection& before, const RunSelection& after, PairedCases& paired) {
  const auto differs = [&](const char* place) {
    return is_known_change(fact_text(before.run->host, place), fact_text(after.run->host, place));
  };
  if (!paired.crossed.empty() || differs(kKernelPlace) || !differs(kFingerprintPlace)) return;
  paired.crossed.push_back(fmt::format("host {} → {}", fact_text(before.run->host, kFingerprintPlace),
                                       fact_text(after.run->host, kFingerprintPlace)));
}

// Of a worker that died at its start some settings are still `auto`, which may have become anything.
bool is_unsettled_same(const CaseRecord& one, const CaseRecord& other, const std::vector<std::string>& arm) {
  bool has_auto = false;
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (!tells_cases_apart(name) || std::find(arm.begin(), arm.end(), name) != arm.end()) continue;
    const Json from = one.requested.value(name, Json());
    const Json to = other.requested.value(name, Json());
    const bool is_auto = from == "auto" || to == "auto";
    const bool is_missing = from.is_null() || to.is_null();
    if (from != to && !is_auto && !(is_missing && has_auto)) return false;
    has_auto = has_auto || is_auto;
  }
  return has_auto;
}

// The only one that may be the same; null: none, or several.
const CaseRecord* only_unsettled(const CaseRecord& one, const std::set<const CaseRecord*>& others,
                                 const std::vector<std::string>& arm) {
  const CaseRecord* found = nullptr;
  for (const CaseRecord* other : others) {
    if (!is_unsettled_same(one, *other, arm)) continue;
    if (found != nullptr) return nullptr;
    found = other;
  }
  return found;
}

Error no_pair(const RunSelection& before, const std::vector<const CaseRecord*>& from, const RunSelection& after,
              const std::vector<const CaseRecord*>& to) {
  std::vector<std::string> differing = differing_settings(requested_of(from, to));
  std::erase_if(differing, [&](const std::string& name) {
    return !tells_cases_apart(name) || values_of(from, name) == values_of(to, name);
  });
  const std::string first = differing.empty() ? "SETTING" : differing.front();
  return Error(ErrorKind::kBadInput,
               fmt::format("no case of '{0}' was asked for with the settings of one of '{1}'{2}; name what may differ, "
                           "e.g. '{0}{3}{4}=...'",
                           before.name, after.name,
                           differing.empty() ? "" : fmt::format(": they differ in {}", fmt::join(differing, ", ")),
                           before.filters.empty() ? ":" : ",", first));
}

}  // namespace

std::vector<const CaseRecord*> chosen_cases(const RunSelection& side) {
  std::vector<const CaseRecord*> cases;
  for (const std::size_t i : reading_order(side.run->cases)) cases.push_back(&side.run->cases[i]);
  for (const SettingFilter& filter : side.filters) {
    setting_term(filter.first);
    std::vector<std::string> values;
    for (const CaseRecord* one : cases) {
      std::string text = setting_value_text(*one, filter.first);
      if (text.empty()) text = "none";
      if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
    }
    std::erase_if(cases, [&](const CaseRecord* one) { return !has_setting(*one, filter); });
    if (cases.empty()) throw unknown_value(fmt::format("{}: {}", side.name, filter.first), filter.second, values);
  }
  if (cases.empty()) throw refused_value("run", side.name, "it has no cases");
  return cases;
}

bool may_follow(std::string_view setting) {
  constexpr std::array<std::string_view, 6> kOfTheMachine{"threads", "interop_threads", "device", "memory_limit",
                                                          "numa",    "pinning"};
  return std::find(kOfTheMachine.begin(), kOfTheMachine.end(), setting) == kOfTheMachine.end();
}

bool is_crossing(const SettingTerm& term) {
  return term.group == SettingGroup::kWorkload || term.name == "scenario" || term.name == "precision";
}

PairedCases pair_cases(const RunSelection& before, const RunSelection& after, PairAcross across) {
  const std::vector<const CaseRecord*> from = chosen_cases(before);
  const std::vector<const CaseRecord*> to = chosen_cases(after);
  const std::vector<CaseRecord> records = requested_of(from, to);
  const std::vector<std::string> arm = arm_of(named_settings(before, from, after, to, across), records);
  by_key(before, from, arm);  // none are alike
  const std::map<std::string, const CaseRecord*> others = by_key(after, to, arm);
  const bool is_of_one_run = before.run->id == after.run->id;
  const std::vector<std::string> axes = axes_of(records, arm);
  PairedCases paired;
  std::set<const CaseRecord*> left(to.begin(), to.end());
  for (const CaseRecord* one : from) {
    CasePair& pair = paired.pairs.emplace_back();
    pair.label = short_label(*one, axes);
    pair.before = analyzed(*one, pair.label, "before", is_of_one_run);
    const auto exact = others.find(key_without(one->requested, arm));
    const CaseRecord* other = exact != others.end() ? exact->second : only_unsettled(*one, left, arm);
    if (other == nullptr) continue;
    if (is_of_one_run && other->id == one->id) {
      throw Error(ErrorKind::kBadInput, fmt::format("'{}' and '{}' are the same case, {} of run {}", before.name,
                                                    after.name, one->id, before.run->id));
    }
    pair.after = analyzed(*other, pair.label, "after", is_of_one_run);
    left.erase(other);
    add_workers(worker_of(*before.run, *one), worker_of(*after.run, *other), paired.changes);
    if (!pair.before->is_ok() || !pair.after->is_ok()) continue;
    add_settings(pair, paired);
    add_reported(pair, paired);
  }
  if (left.size() == to.size()) throw no_pair(before, from, after, to);
  for (const CaseRecord* one : to) {
    if (left.count(one) == 0) continue;
    CasePair& pair = paired.pairs.emplace_back();
    pair.label = short_label(*one, axes);
    pair.after = analyzed(*one, pair.label, "after", is_of_one_run);
  }
  add_facts(*before.run, *after.run, FactUse::kMachine, paired.crossed);
  add_facts(*before.run, *after.run, FactUse::kPrograms, paired.changes);
  add_fingerprint(before, after, paired);
  return paired;
}

}  // namespace transformeter
