// What a user requested: every declared setting with its values and their origin. Built from defaults, then a plan
// file, then flags; later sources win.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

struct PlanEntry {
  std::vector<Json> values;  // as parse_setting gives them, at least one; more than one only for an axis
  std::string origin;        // "default", "plan FILE:LINE", "flag"; "baseline" and "scenario" for what these ask for

  /// Given by the user: no default, neither the usual one nor a scenario's.
  bool is_typed() const { return origin != "default" && origin != "scenario"; }
};

struct PlanNode;  // run/plan_document.h

/// A setting's default as it is typed.
struct SettingDefault {
  std::string_view name;
  std::string_view text;
};

/// Of the scenario train alone, in place of the table's: one shape, as a step takes three times as long as a pass and
/// more.
std::span<const SettingDefault> training_defaults();

class Plan {
 public:
  /// All defaults. Settings without a default (name, worker) are absent until set.
  Plan();

  /// Reads a YAML or JSON file (run/plan_document.h) of {name: scalar or list}, names as run/plan_keys.h has them, also
  /// in sections: {section: {name: scalar or list}}. A scalar of an axis may be a comma list, as the flag takes it.
  /// Throws Error(kBadInput) as "FILE:LINE: …" for an unknown name (the nearest is suggested), a value that is not
  /// allowed, a list for a setting that is no axis, an empty list or section, a value, name or setting given twice, and
  /// anything nested deeper but the map of `baseline`.
  void apply_file(const std::filesystem::path& file);

  /// The same with a map of `file`, whose name is for errors: of a run of a pipeline.
  void apply_settings(const std::filesystem::path& file, const PlanNode& settings);

  /// `text` as typed: a comma list for an axis. Throws Error(kBadInput).
  void apply_flag(std::string_view name, std::string_view text);

  /// Puts `replacement` of each value in its place; values that become equal are one. The origin stays. Throws like
  /// at().
  void replace_values(std::string_view name, const std::function<Json(const Json&)>& replacement);

  /// Once files and flags are applied: other names of presets become their own, a baseline asks for three replicates
  /// where nobody said how many, and the scenario train alone for one shape.
  void settle();

  bool has(std::string_view name) const { return entries_.find(name) != entries_.end(); }
  /// Throws Error(kInternal) when absent.
  const PlanEntry& at(std::string_view name) const;
  /// The only value of a setting that is no axis; throws like at().
  const Json& value(std::string_view name) const;
  /// The only value of a text setting, or `otherwise` when absent.
  std::string text_or(std::string_view name, std::string_view otherwise) const;

  /// The only value of a setting that takes a number or a word; nothing for a word, and when absent.
  std::optional<double> number(std::string_view name) const;

  /// {name: {values: [...], origin: "..."}}, as the store keeps it.
  Json to_json() const;
  /// Throws Error(kBadInput) when a stored plan has lost its form or holds an unknown name.
  static Plan from_json(const Json& json);

 private:
  void settle_training();

  std::map<std::string, PlanEntry, std::less<>> entries_;
};

}  // namespace transformeter
