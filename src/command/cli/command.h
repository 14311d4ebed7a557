// A subcommand: what the command line offers under one name. One file each; commands.cpp lists them all.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/context.h"
#include "cli/declaration.h"

namespace transformeter {

class Command {
 public:
  virtual ~Command() = default;
  /// Its command line; options point to members of this object. Called once.
  virtual CommandDeclaration declare() = 0;
  /// Runs with the parsed options and returns the exit code of schema/status.h. Throws Error. `interrupt` becomes true
  /// when the user asks to stop.
  virtual int run(const Context& context, const std::atomic<bool>& interrupt) = 0;
};

// One function for each file <name>_command.cpp.
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_find_max_command();
std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_finetune_command();
std::unique_ptr<Command> make_pipeline_command();
std::unique_ptr<Command> make_resume_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_show_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_plot_command();
std::unique_ptr<Command> make_diagnose_command();
std::unique_ptr<Command> make_recommend_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_diff_command();
std::unique_ptr<Command> make_baseline_command();
std::unique_ptr<Command> make_cost_command();
std::unique_ptr<Command> make_trend_command();
std::unique_ptr<Command> make_runs_command();
std::unique_ptr<Command> make_profiles_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_merge_command();
std::unique_ptr<Command> make_manifest_command();
std::unique_ptr<Command> make_models_command();
std::unique_ptr<Command> make_fetch_command();
std::unique_ptr<Command> make_push_command();
std::unique_ptr<Command> make_data_command();
std::unique_ptr<Command> make_tokenize_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_peaks_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_man_command();

/// Every subcommand, in the order of the help.
std::vector<std::unique_ptr<Command>> builtin_commands();

/// The whole command line, with the options that all commands have. Calls declare() of each; targets point into them.
ProgramDeclaration declare_program(const std::vector<std::unique_ptr<Command>>& commands);

/// The same without targets: for completions and manual pages, which parse nothing.
ProgramDeclaration described_program();

}  // namespace transformeter
