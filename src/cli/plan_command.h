// Commands that measure a plan: all its settings as options, or those of one scenario.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "run/plan.h"

namespace transformeter {

/// What makes such a command.
struct PlanCommandShape {
  std::string name;
  std::string description;
  std::string examples;
  std::string scenario;                           // that of every case; empty: a setting as any other
  std::vector<std::string> left_out = {};         // settings that this scenario has no use for
  std::span<const SettingDefault> defaults = {};  // as Plan::settle puts them in place of the table's
};

/// Measures the plan that flags and a file give, and stores the results.
class PlanCommand : public Command {
 public:
  explicit PlanCommand(PlanCommandShape shape);
  ~PlanCommand() override;
  CLI::App* declare(CLI::App& program) override;
  int run(const Context& context, const std::atomic<bool>& interrupt) override;

 protected:
  /// Options beside the settings.
  virtual void declare_more(CLI::App& /*app*/) {}
  /// What they do to the plan, before it is settled.
  virtual void apply_more(Plan& /*plan*/) {}

 private:
  Plan make_plan(const Context& context);

  struct Options;
  PlanCommandShape shape_;
  std::unique_ptr<Options> options_;
};

}  // namespace transformeter
