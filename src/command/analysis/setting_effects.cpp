// Pairs are found by their requested settings, and judged as compare judges them.
#include "analysis/setting_effects.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/case_label.h"
#include "analysis/case_pairs.h"
#include "analysis/compare_cases.h"
#include "analysis/level.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr std::string_view kBatchSize = "batch_size";

// The setting in which both differ; nothing where they differ in several, or in one that advice is not about.
std::optional<std::string> only_difference(const CaseRecord& one, const CaseRecord& other) {
  std::vector<CaseRecord> both(2);
  both[0].requested = one.requested;
  both[1].requested = other.requested;
  const std::vector<std::string> settings = varying_settings(both);
  if (settings.size() != 1) return std::nullopt;
  for (const std::string& following : following_settings(both)) {
    if (following != settings.front() && !may_follow(following)) return std::nullopt;
  }
  const SettingGroup group = setting_term(settings.front()).group;
  const bool is_advised =
      group == SettingGroup::kEngine || group == SettingGroup::kLaunch || settings.front() == kBatchSize;
  return is_advised ? std::optional(settings.front()) : std::nullopt;
}

bool is_sound(const AnalyzedCase& one) {
  return one.is_ok() && one.analysis.verdict.level == VerdictLevel::kValid;
}

// Of batches of other sizes, which are other work.
void compare_rates(SettingEffect& effect, const AnalyzedCase& one, const AnalyzedCase& other) {
  const MetricRow* from = shown_metric(one, "throughput_samples");
  const MetricRow* to = shown_metric(other, "throughput_samples");
  if (from == nullptr || to == nullptr || !is_sound(one) || !is_sound(other)) return;
  const auto level = level_of(*from);
  const auto other_level = level_of(*to);
  if (!level || !other_level || !level->is_between_processes || !other_level->is_between_processes) return;
  effect.gain = quotient_of(*level, *other_level);
  effect.quantity = "samples per second";
  effect.compared_by = name_of(ComparedBy::kReplicates);
}

void compare_speeds(SettingEffect& effect, const AnalyzedCase& one, const AnalyzedCase& other) {
  const SpeedComparison speed = compare_times(other, one);
  if (!speed.speed_up || speed.answer == SpeedAnswer::kUndecided) return;
  effect.gain = *speed.speed_up;
  effect.level = speed.level;
  effect.quantity = "speed";
  effect.compared_by = name_of(speed.by);
}

void turn_round(SettingEffect& effect) {
  std::swap(effect.better, effect.other);
  std::swap(effect.better_case, effect.other_case);
  effect.gain = {1 / effect.gain.value, 1 / effect.gain.high, 1 / effect.gain.low};
}

void add_beside(SettingEffect& effect) {
  std::vector<const char*> names;
  if (effect.setting == kBatchSize) names = {"latency"};
  if (effect.setting == "batching") names = {"padding_share"};
  if (effect.setting == "precision" || effect.setting == "engine") {
    names = {"divergence", "accuracy", "word_error_rate"};
  }
  for (const char* name : names) {
    const MetricRow* better = shown_metric(*effect.better_case, name);
    const MetricRow* other = shown_metric(*effect.other_case, name);
    const bool are_known = better != nullptr && other != nullptr && better->value && other->value;
    if (are_known && better->statistic == other->statistic) effect.beside.push_back({*better, *other});
  }
}

// The gain of `one` over `other` or the other way round; nothing where they are not told apart.
std::optional<SettingEffect> effect_of(const std::string& setting, const AnalyzedCase& one, const AnalyzedCase& other) {
  SettingEffect effect;
  effect.setting = setting;
  effect.better = setting_value_text(*one.record, setting);
  effect.other = setting_value_text(*other.record, setting);
  effect.better_case = &one;
  effect.other_case = &other;
  if (setting == kBatchSize && !is_generate(one.record->requested)) {
    compare_rates(effect, one, other);
  } else {
    compare_speeds(effect, one, other);
  }
  if (effect.quantity.empty()) return std::nullopt;
  const SpeedAnswer answer = answer_of(effect.gain);
  if (answer == SpeedAnswer::kSlower) turn_round(effect);
  if (answer != SpeedAnswer::kSlower && answer != SpeedAnswer::kFaster) return std::nullopt;
  add_beside(effect);
  return effect;
}

bool is_larger(const SettingEffect& one, const SettingEffect& other) {
  return one.gain.value > other.gain.value;
}

}  // namespace

SettingEffects setting_effects(const std::vector<EffectCase>& cases) {
  SettingEffects effects;
  std::map<std::pair<std::string, std::string>, std::size_t> pairs_of_value;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = i + 1; j < cases.size(); ++j) {
      if (cases[i].run->id != cases[j].run->id || !cases[i].one->is_ok() || !cases[j].one->is_ok()) continue;
      const auto setting = only_difference(*cases[i].one->record, *cases[j].one->record);
      if (!setting) continue;
      ++effects.pairs;
      for (const EffectCase* side : {&cases[i], &cases[j]}) {
        ++pairs_of_value[{*setting, setting_value_text(*side->one->record, *setting)}];
      }
      if (auto effect = effect_of(*setting, *cases[i].one, *cases[j].one)) {
        effects.told_apart.push_back(std::move(*effect));
      }
    }
  }
  std::stable_sort(effects.told_apart.begin(), effects.told_apart.end(), &is_larger);
  std::vector<SettingEffect> kept;
  for (SettingEffect& effect : effects.told_apart) {
    const bool is_told = std::any_of(kept.begin(), kept.end(), [&](const SettingEffect& other) {
      return other.setting == effect.setting && other.better == effect.better;
    });
    if (is_told) continue;
    effect.pairs = pairs_of_value[{effect.setting, effect.better}];
    kept.push_back(std::move(effect));
  }
  effects.told_apart = std::move(kept);
  return effects;
}

}  // namespace transformeter
