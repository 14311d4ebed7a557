// Every setting of a run, declared once: flags, plan keys, help, storage and documentation derive from this table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "schema/case.h"
#include "schema/scenario.h"

namespace transformeter {

/// What a setting belongs to; the first five make a case's identity.
enum class SettingGroup { kWorkload, kEngine, kLaunch, kScenario, kDevice, kRun };

/// Where help shows a setting, in this order.
enum class SettingTopic { kWorkload, kModel, kEngine, kLaunch, kGeneration, kTraining, kMeasuring, kOutput };

/// "workload", "model", ...: a heading.
std::string_view name_of(SettingTopic topic);
/// All of them, in order.
std::vector<std::string> setting_topics();

enum class SettingKind {
  kText,      // any text
  kChoice,    // one of `words`
  kPlace,     // one of `words`, or cuda:N
  kCount,     // a whole number ≥ minimum, or one of `words`
  kDuration,  // seconds, e.g. 150, 150s, 3m
  kBytes,     // e.g. 512MiB
  kRatio,     // a number from 0 to below 1, e.g. 0.25
  kPositive,  // a number above 0, e.g. 5e-5, or one of `words`
  kFlag,      // true or false
  kBaseline,  // other settings with a value each, see schema/baseline.h
};

/// A word by which a member of Case is true.
struct WordMember {
  bool Case::*member;
  std::string_view is_true;
};

/// Where a case keeps the value; nothing for a setting of the whole run.
using SettingMember =
    std::variant<std::monostate, std::string Case::*, Task Case::*, Scenario Case::*, std::int64_t Case::*,
                 std::uint64_t Case::*, double Case::*, std::optional<std::int64_t> Case::*,
                 std::optional<double> Case::*, CountOrWord Case::*, WordMember>;

/// Some of the scenarios.
struct ScenarioSet {
  using Predicate = bool (*)(const ScenarioName&);
  Predicate has = [](const ScenarioName&) { return true; };
  std::string_view text = {};  // "scenario train"; empty: any
};

/// To which cases a setting applies. The texts complete "applies to ...".
struct SettingUse {
  bool (*holds)(const Case&) = [](const Case&) { return true; };
  ScenarioSet scenarios = {};     // outside of which it never holds
  std::string_view further = {};  // "task question_answering"; empty: nothing else
};

/// The whole of it: "scenario train with task question_answering".
std::string use_text(const SettingUse& use);

/// Which commands besides `run` have a setting as an option.
struct SettingCommands {
  bool train = false;
  bool finetune = false;
  bool predict = false;
  bool profile = false;
};

/// Whether cases that differ in a setting alone are different work, and so have different keys.
enum class SettingIdentity {
  kAlways,
  kUnlessInitial,  // the default is what cases without the setting did, whose keys stay
  kNever,          // it changes nothing that is measured
  kWithinRun,      // it tells cases of a run apart that are the same work, and so have the same key
};

struct SettingTerm {
  std::string_view name;  // the plan's key, snake_case; the flag is --kebab-case
  SettingGroup group;
  SettingKind kind;
  bool is_axis;                  // takes a list, each value makes cases
  std::string_view words;        // allowed words by commas, for kChoice, kPlace, kCount and kPositive
  long long minimum;             // for kCount
  long long maximum;             // for kCount
  std::string_view initial;      // the default as a user would write it; empty: none
  std::string_view placeholder;  // for help: N, PATH, TEXT
  SettingTopic topic;
  bool is_common;  // what most people want to see first: shown by --help, the others by --help-all alone
  SettingCommands commands;
  SettingUse use;
  SettingMember member;
  std::string_view help;  // one line of at most 100 characters, without the default
  SettingIdentity identity = SettingIdentity::kAlways;
};

std::span<const SettingTerm> setting_terms();

/// Null for an unknown name.
const SettingTerm* find_setting(std::string_view name);

/// Throws Error(kBadInput) with the nearest name for an unknown one.
const SettingTerm& setting_term(std::string_view name);

/// Whether the setting is one of training steps alone, of any task: `stride` is not.
bool is_of_training(const SettingTerm& term);

/// Whether the setting applies to some cases of the scenario.
bool may_apply(const SettingTerm& term, Scenario scenario);

/// Whether cases that differ in this setting do different work; true for one that is not known here.
bool tells_cases_apart(std::string_view name);

/// The words of `precision` that training takes.
std::vector<std::string> trained_precisions();

/// "batch_size" to "--batch-size".
std::string flag_of(std::string_view name);

/// The value of one element as canonical JSON: a string for words (as typed_word() gives them) and text, an integer for
/// counts and bytes, seconds as a number for durations, a number for ratios, a boolean for flags, an object for a
/// baseline. Throws Error(kBadInput) with value, allowed values and a hint.
Json parse_setting(const SettingTerm& term, std::string_view text);

/// The form a user would write: 30 for 30.0 seconds, true, fp32, attention=eager,precision=fp32 for an object.
std::string setting_text(const Json& value);

/// The setting that tells equal cases apart, and its values in a live comparison, which keeps both arms as they were
/// typed in its run's settings.
inline constexpr const char* kArm = "arm";
inline constexpr const char* kLiveArms = "live_arms";
inline constexpr const char* kArmBefore = "before";
inline constexpr const char* kArmAfter = "after";

/// Settings that a live comparison decides on itself.
bool is_set_by_live(std::string_view setting);

/// Whether the case of these requested settings is one of a live comparison, whose processes go on until it is decided.
bool is_live(const Json& requested);

/// Whether the case of these requested settings generates text. One of an earlier version, which has no scenario, does
/// not. For readers of stores, whose settings may be those of another version; others have a Case.
bool is_generate(const Json& requested);

/// Whether it is one of training.
bool is_train(const Json& requested);

/// Whether it runs the batches of a cycle forward.
bool is_forward(const Json& requested);

/// The allowed words of a setting.
std::vector<std::string> setting_words(const SettingTerm& term);

/// The allowed word that a user means by `text`: itself, with hyphens in place of underscores, or of a task another
/// name. Nothing for another text. Only canonical words are stored, compared and shown.
std::optional<std::string> typed_word(const SettingTerm& term, std::string_view text);

}  // namespace transformeter
