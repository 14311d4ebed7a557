// A case's key is its requested settings without those that the sides differ in.
#include "analysis/case_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/case_label.h"
#include "analysis/case_order.h"
#include "base/error.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

std::vector<const CaseRecord*> chosen_cases(const Selection& side) {
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

std::vector<CaseRecord> requested_of(const std::vector<const CaseRecord*>& before,
                                     const std::vector<const CaseRecord*>& after) {
  std::vector<CaseRecord> records;  // as far as they tell cases apart
  for (const auto* side : {&before, &after}) {
    for (const CaseRecord* one : *side) records.emplace_back().requested = one->requested;
  }
  return records;
}

// What the sides differ in by choice, and what follows from that.
std::vector<std::string> arm_of(const Selection& before, const Selection& after,
                                const std::vector<CaseRecord>& records) {
  std::set<std::string> arm;
  for (const Selection* side : {&before, &after}) {
    for (const SettingFilter& filter : side->filters) arm.insert(filter.first);
  }
  if (arm.empty()) return {};
  for (const std::string& setting : following_settings(records)) arm.insert(setting);
  return {arm.begin(), arm.end()};
}

std::map<std::string, const CaseRecord*> by_key(const Selection& side, const std::vector<const CaseRecord*>& cases,
                                                const std::vector<std::string>& arm) {
  std::map<std::string, const CaseRecord*> keyed;
  for (const CaseRecord* one : cases) {
    const auto [place, is_new] = keyed.emplace(key_without(one->requested, arm), one);
    if (is_new) continue;
    std::vector<CaseRecord> both(2);
    both[0].requested = place->second->requested;
    both[1].requested = one->requested;
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: cases {} and {} are alike but for {}; choose one of them, e.g. '{}:{}=...'", side.name,
                            place->second->id, one->id, fmt::join(differing_settings(both), ", "), side.run->name,
                            differing_settings(both).empty() ? "batch_size" : differing_settings(both).front()));
  }
  return keyed;
}

// Slices of different runs were not measured side by side, whatever their rounds.
AnalyzedCase analyzed(const CaseRecord& record, const std::string& label, const char* side, bool is_of_one_run) {
  AnalyzedCase one{&record, analysis_of(record), fmt::format("{} {}", label, side)};
  if (!is_of_one_run) one.analysis.slices.clear();
  return one;
}

std::string text_of_fact(const RunRecord& run, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!run.host.is_object() || !run.host.contains(place) || run.host.at(place).is_null()) return "unknown";
  const Json& value = run.host.at(place);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

struct HostFact {
  const char* name;
  const char* place;
};
// Those that decide how fast a machine can be, and those of the programs, which a comparison may be about.
constexpr std::array kMachine{HostFact{"processor", "/cpu/model"}, HostFact{"cores", "/topology/core_count"},
                              HostFact{"CPUs allowed", "/container/allowed_cpu_count"},
                              HostFact{"CPU limit", "/container/cpu_limit_count"}};
constexpr std::array kPrograms{HostFact{"LibTorch", "/worker/libtorch"}, HostFact{"worker", "/worker/git_commit"},
                               HostFact{"kernel", "/os/kernel_release"}};

template <std::size_t N>
void add_facts(const Selection& before, const Selection& after, const std::array<HostFact, N>& facts,
               std::vector<std::string>& differences) {
  for (const HostFact& fact : facts) {
    const std::string from = text_of_fact(*before.run, fact.place);
    const std::string to = text_of_fact(*after.run, fact.place);
    if (from != to) differences.push_back(fmt::format("{} {} → {}", fact.name, from, to));
  }
}

// What of a pair's settings differs; of workloads and precisions it makes the figures no answer. Of what follows from
// the chosen ones the names alone.
void add_settings(const CasePair& pair, const std::set<std::string>& chosen, PairedCases& paired,
                  std::set<std::string>& following) {
  for (const SettingTerm& term : setting_terms()) {
    const std::string from = setting_value_text(*pair.before->record, term.name);
    const std::string to = setting_value_text(*pair.after->record, term.name);
    if (from == to) continue;
    if (chosen.count(std::string(term.name)) == 0) {
      following.emplace(term.name);
      continue;
    }
    const bool is_crossed =
        term.group == SettingGroup::kWorkload || term.name == "scenario" || term.name == "precision";
    std::vector<std::string>& differences = is_crossed ? paired.crossed : paired.changes;
    std::string text = fmt::format("{} {} → {}", term.name, from.empty() ? "none" : from, to.empty() ? "none" : to);
    if (std::find(differences.begin(), differences.end(), text) == differences.end()) {
      differences.push_back(std::move(text));
    }
  }
}

}  // namespace

PairedCases pair_cases(const Selection& before, const Selection& after) {
  const std::vector<const CaseRecord*> from = chosen_cases(before);
  const std::vector<const CaseRecord*> to = chosen_cases(after);
  const std::vector<CaseRecord> records = requested_of(from, to);
  const std::vector<std::string> arm = arm_of(before, after, records);
  std::vector<std::string> axes = varying_settings(records);
  std::erase_if(axes, [&](const std::string& axis) { return std::find(arm.begin(), arm.end(), axis) != arm.end(); });
  by_key(before, from, arm);  // each its own
  std::map<std::string, const CaseRecord*> others = by_key(after, to, arm);
  PairedCases paired;
  const bool is_of_one_run = before.run->id == after.run->id;
  std::set<std::string> chosen;
  for (const Selection* side : {&before, &after}) {
    for (const SettingFilter& filter : side->filters) chosen.insert(filter.first);
  }
  std::set<std::string> following;
  const auto label_of = [&](const CaseRecord& record) {
    return axes.empty() ? long_label(record, {}) : short_label(record, axes);
  };
  for (const CaseRecord* one : from) {
    CasePair& pair = paired.pairs.emplace_back();
    pair.label = label_of(*one);
    pair.before = analyzed(*one, pair.label, "before", is_of_one_run);
    const auto other = others.find(key_without(one->requested, arm));
    if (other == others.end()) continue;
    pair.after = analyzed(*other->second, pair.label, "after", is_of_one_run);
    others.erase(other);
    add_settings(pair, chosen, paired, following);
  }
  for (const CaseRecord* one : to) {
    const auto left = others.find(key_without(one->requested, arm));
    if (left == others.end() || left->second != one) continue;
    CasePair& pair = paired.pairs.emplace_back();
    pair.label = label_of(*one);
    pair.after = analyzed(*one, pair.label, "after", is_of_one_run);
  }
  if (!following.empty()) paired.changes.push_back(fmt::format("with that {}", fmt::join(following, ", ")));
  add_facts(before, after, kMachine, paired.crossed);
  add_facts(before, after, kPrograms, paired.changes);
  return paired;
}

}  // namespace transformeter
