// The one list of subcommands.
#include <algorithm>
#include <type_traits>
#include <variant>

#include "cli/command.h"

namespace transformeter {
namespace {

OptionDeclaration help_option() {
  return {.names = {"-h", "--help"}, .target = Request::kHelp, .help = "print this help and exit"};
}

// --help, and --help-all where it shows more.
void add_help_options(CommandDeclaration& command) {
  const auto is_rare = [](const OptionDeclaration& option) { return !option.is_common; };
  const bool has_rare = std::any_of(command.options.begin(), command.options.end(), is_rare);
  const bool has_groups = std::any_of(command.options.begin(), command.options.end(),
                                      [](const OptionDeclaration& option) { return !option.group.empty(); });
  command.options.push_back(help_option());
  if (has_groups) command.options.back().group = "help";
  if (!has_rare) return;
  command.options.push_back({.names = {"--help-all"},
                             .target = Request::kFullHelp,
                             .help = "print help on every option and exit",
                             .group = command.options.back().group});
}

// A positional COMMAND may be any of them.
void offer_commands(ProgramDeclaration& program) {
  std::vector<std::string> names;
  for (const CommandDeclaration& command : program.commands) names.push_back(command.name);
  for (CommandDeclaration& command : program.commands) {
    for (OptionDeclaration& option : command.options) {
      if (option.placeholder == "COMMAND") option.words = names;
    }
  }
}

}  // namespace

std::vector<std::unique_ptr<Command>> builtin_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_run_command());
  commands.push_back(make_profile_command());
  commands.push_back(make_find_max_command());
  commands.push_back(make_pipeline_command());
  commands.push_back(make_resume_command());
  commands.push_back(make_replay_command());
  commands.push_back(make_show_command());
  commands.push_back(make_report_command());
  commands.push_back(make_plot_command());
  commands.push_back(make_diagnose_command());
  commands.push_back(make_recommend_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_diff_command());
  commands.push_back(make_baseline_command());
  commands.push_back(make_cost_command());
  commands.push_back(make_trend_command());
  commands.push_back(make_runs_command());
  commands.push_back(make_profiles_command());
  commands.push_back(make_export_command());
  commands.push_back(make_import_command());
  commands.push_back(make_merge_command());
  commands.push_back(make_manifest_command());
  commands.push_back(make_models_command());
  commands.push_back(make_fetch_command());
  commands.push_back(make_push_command());
  commands.push_back(make_data_command());
  commands.push_back(make_tokenize_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_score_command());
  commands.push_back(make_train_command());
  commands.push_back(make_finetune_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_peaks_command());
  commands.push_back(make_completion_command());
  commands.push_back(make_man_command());
  return commands;
}

ProgramDeclaration declare_program(const std::vector<std::unique_ptr<Command>>& commands) {
  ProgramDeclaration program;
  program.self = {.name = "transformeter",
                  .summary = "measure the time, memory and accuracy of Transformer models on this machine"};
  program.self.options = {help_option(),
                          {.names = {"--version"},
                           .target = Request::kVersion,
                           .help = "print versions of program and libraries and exit"}};
  for (const auto& command : commands) {
    program.commands.push_back(command->declare());
    add_help_options(program.commands.back());
  }
  offer_commands(program);
  return program;
}

ProgramDeclaration described_program() {
  const std::vector<std::unique_ptr<Command>> commands = builtin_commands();
  ProgramDeclaration program = declare_program(commands);
  const auto clear = [](CommandDeclaration& command) {
    for (OptionDeclaration& option : command.options) {
      std::visit(
          [](auto& target) {
            if constexpr (std::is_pointer_v<std::decay_t<decltype(target)>>) target = nullptr;
          },
          option.target);
    }
  };
  clear(program.self);
  std::for_each(program.commands.begin(), program.commands.end(), clear);
  return program;
}

}  // namespace transformeter
