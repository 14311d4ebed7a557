// Settings as options of a command, and the plan that they make.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/declaration.h"
#include "run/plan.h"
#include "schema/settings.h"

namespace transformeter {

/// Texts and switches of settings, as options with the names and help of the settings' table. Declarations point into
/// it: it stays where it is.
class PlanOptions {
 public:
  PlanOptions();
  ~PlanOptions();
  PlanOptions(const PlanOptions&) = delete;
  PlanOptions& operator=(const PlanOptions&) = delete;

  /// The setting's option; `defaults` are named in its help in place of the table's.
  OptionDeclaration option_of(const SettingTerm& term, std::span<const SettingDefault> defaults = {});
  /// Puts what was given into the plan. Throws Error(kBadInput) as Plan::apply_flag.
  void apply_to(Plan& plan) const;
  /// The option of one that was given: "--batch-size"; nothing for none.
  std::optional<std::string> first_given() const;

 private:
  struct Values;
  std::unique_ptr<Values> values_;
};

}  // namespace transformeter
