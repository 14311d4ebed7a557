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
  /// Setting name to the values this worker can run, as {"precision": ["fp32", "bf16"]}. A setting that is absent is
  /// not restricted.
  std::map<std::string, std::vector<std::string>> values;
  /// Values that run natively here, as {"precision": ["fp32"]}: what `auto` chooses from; others are emulated.
  /// {"precision@cuda": ["fp32", "bf16"]} speaks for a kind of device of its own.
  std::map<std::string, std::vector<std::string>> native;
  /// Why a known value is missing, as {"precision=fp16": "no CPU kernel for ..."}; "device=cuda" speaks for each
  /// cuda:N.
  std::map<std::string, std::string> reasons;

  /// What each named engine chooses where a setting is `auto`, as {"fast": {"batching": "packed", ...}}; a choice that
  /// goes by the kind of device, or else the precision, the scenario or the batching, is an object, as {"cuda":
  /// "plain", "int8": "plain", "generate": "plain", "else": "prepacked"}; so may its values be in turn.
  std::map<std::string, std::map<std::string, Json>> engines;
  /// Values that cannot come together; "cuda" is each cuda:N.
  std::vector<Conflict> conflicts;

  /// What the engine of `settings` chooses for a setting; "auto" where it chooses nothing.
  Json choice_of_engine(const std::string& setting, const Json& settings) const;
  /// Nothing when `value` can run; else the declared reason.
  std::optional<std::string> why_not(const std::string& setting, const std::string& value) const;
  /// The first of the settings that cannot run, with the reason; the device's before those of what a device would have.
  std::optional<std::string> why_not_all(const Json& settings) const;
  /// Nothing when the settings can come together; else the first conflict's reason.
  std::optional<std::string> why_not_together(const Json& settings) const;
  /// On that device, as the setting `device` names it.
  bool is_native(const std::string& setting, const std::string& value, const std::string& device) const;
  /// What `device=auto` means: the first that is declared native, else the first that is declared, else the CPU.
  std::string best_device() const;
  /// Puts the engine's choices in place of what is still `auto`; what it chooses nothing for stays so.
  void take_choices_of_engine(Json& settings) const;
};

void to_json(Json& json, const Capabilities& capabilities);
void from_json(const Json& json, Capabilities& capabilities);

}  // namespace transformeter
