// What a worker can do, as it declares it in `describe`. The command keeps no table of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// A case whose settings each have one of the named values cannot run.
struct Conflict {
  std::map<std::string, std::vector<std::string>> settings;
  std::string reason;
};

struct Capabilities {
  /// Setting name to the values this worker can run, e.g. {"precision": ["fp32", "bf16"]}. Absent settings are not
  /// restricted.
  std::map<std::string, std::vector<std::string>> values;
  /// Values that run natively here, e.g. {"precision": ["fp32"]}: `auto` chooses from these; others are emulated.
  /// {"precision@cuda": ["fp32", "bf16"]} is for one kind of device.
  std::map<std::string, std::vector<std::string>> native;
  /// Why a known value is missing, e.g. {"precision=fp16": "no CPU kernel for ..."}; "device=cuda" covers every cuda:N.
  std::map<std::string, std::string> reasons;

  /// What each named engine chooses where a setting is `auto`, e.g. {"fast": {"batching": "packed", ...}}. A choice
  /// that depends on the kind of device, the precision, the scenario, the batching or the pinning is an object, e.g.
  /// {"cuda": "plain", "int8": "plain", "generate": "plain", "else": "prepacked"}, whose values may be objects in turn.
  std::map<std::string, std::map<std::string, Json>> engines;
  /// Values that cannot be combined; "cuda" covers every cuda:N.
  std::vector<Conflict> conflicts;

  /// What the engine of `settings` chooses for a setting; "auto" where it chooses nothing.
  Json choice_of_engine(const std::string& setting, const Json& settings) const;
  /// Nothing when `value` can run; else the declared reason.
  std::optional<std::string> why_not(const std::string& setting, const std::string& value) const;
  /// Nothing when the settings can be combined; else the first conflict's reason.
  std::optional<std::string> why_not_together(const Json& settings) const;
  /// Why a case of these settings cannot run. An engine that is not here comes first, then a conflict, which explains
  /// more than a value that is missing.
  std::optional<std::string> why_unsupported(const Json& settings) const;
  /// On that device, as the setting `device` names it.
  bool is_native(const std::string& setting, const std::string& value, const std::string& device) const;
  /// What `device=auto` means: the first native device, else the first declared one, else the CPU.
  std::string best_device() const;
  /// Replaces each remaining `auto` by the engine's choice; settings for which it has none stay `auto`.
  void take_choices_of_engine(Json& settings) const;

 private:
  /// The first setting that cannot run, with the reason; the device is checked before settings that depend on it.
  std::optional<std::string> why_not_all(const Json& settings) const;
};

void to_json(Json& json, const Capabilities& capabilities);
void from_json(const Json& json, Capabilities& capabilities);

}  // namespace transformeter
