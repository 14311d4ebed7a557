// Commands that measure a plan: all its settings as options, or those of one scenario.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "run/plan.h"
#include "schema/scenario.h"

namespace transformeter {

/// Notes in the help of every command of this kind.
inline constexpr const char* kListNote =
    "Options marked ,... take a comma list; every combination of their values is a case.";
inline constexpr const char* kPlanExitCodes =
    "Exit codes: 0 at least one case is ok and none failed (pending ones do not count), 1 a case failed or none is ok, "
    "3 bad input, 130 interrupted.";

/// What makes such a command.
struct PlanCommandShape {
  std::string name;
  CommandTask task;
  std::string summary;
  std::span<const UsageExample> examples;
  std::span<const char* const> notes;
  std::optional<Scenario> scenario = {};          // that of every case; nothing: a setting like any other
  bool (*has)(const SettingTerm&) = nullptr;      // which settings are options; null: all of the scenario
  std::span<const SettingDefault> defaults = {};  // as Plan::settle puts them in place of the table's
};

/// Measures the plan that flags and a file give, and stores the results.
class PlanCommand : public Command {
 public:
  explicit PlanCommand(PlanCommandShape shape);
  ~PlanCommand() override;
  CommandDeclaration declare() override;
  int run(const Context& context, const std::atomic<bool>& interrupt) override;

 protected:
  /// Options in addition to the settings.
  virtual void declare_more(std::vector<OptionDeclaration>& /*options*/) {}
  /// What they do to the plan, before it is settled.
  virtual void apply_more(Plan& /*plan*/) {}
  /// In place of what nobody asked for. They stay defaults: a scenario that has no use for them passes them over.
  static void apply_defaults(Plan& plan, std::span<const SettingDefault> defaults);

  /// What options and file say, settled.
  Plan make_plan(const Context& context);

 private:
  OptionDeclaration option_of(const SettingTerm& term);
  bool has(const SettingTerm& term) const;

  struct Options;
  PlanCommandShape shape_;
  std::unique_ptr<Options> options_;
};

}  // namespace transformeter
