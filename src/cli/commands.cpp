// The one list of subcommands.
#include "cli/command.h"

namespace transformeter {

std::vector<std::unique_ptr<Command>> builtin_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command());
  commands.push_back(make_train_command());
  commands.push_back(make_finetune_command());
  commands.push_back(make_resume_command());
  commands.push_back(make_show_command());
  commands.push_back(make_report_command());
  commands.push_back(make_diagnose_command());
  commands.push_back(make_recommend_command());
  commands.push_back(make_runs_command());
  commands.push_back(make_export_command());
  commands.push_back(make_import_command());
  commands.push_back(make_merge_command());
  commands.push_back(make_models_command());
  commands.push_back(make_fetch_command());
  commands.push_back(make_push_command());
  commands.push_back(make_tokenize_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_score_command());
  commands.push_back(make_peaks_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_completion_command());
  commands.push_back(make_man_command());
  return commands;
}

}  // namespace transformeter
