// A subcommand: what the command line offers under one name. One file each; commands.cpp lists them all.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <vector>

#include "base/context.h"

namespace transformeter {

class Command {
 public:
  virtual ~Command() = default;
  /// Adds a subcommand with its options to `program`, bound to members, and returns it.
  virtual CLI::App* declare(CLI::App& program) = 0;
  /// Runs with the parsed options and returns the exit code of terms/status.h. Throws Error. `interrupt` becomes true
  /// when the user asks to stop.
  virtual int run(const Context& context, const std::atomic<bool>& interrupt) = 0;
};

// One function for each file <name>_command.cpp.
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_finetune_command();
std::unique_ptr<Command> make_resume_command();
std::unique_ptr<Command> make_show_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_diagnose_command();
std::unique_ptr<Command> make_recommend_command();
std::unique_ptr<Command> make_runs_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_merge_command();
std::unique_ptr<Command> make_models_command();
std::unique_ptr<Command> make_fetch_command();
std::unique_ptr<Command> make_push_command();
std::unique_ptr<Command> make_tokenize_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_peaks_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_man_command();

/// Every subcommand, in the order of the help.
std::vector<std::unique_ptr<Command>> builtin_commands();

}  // namespace transformeter
