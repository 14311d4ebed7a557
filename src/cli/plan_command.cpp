// A setting becomes an option by its declaration.
#include "cli/plan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/hub_connection.h"
#include "cli/option_values.h"
#include "cli/run_report.h"
#include "cli/run_session.h"
#include "run/find_plan.h"
#include "run/run_peaks.h"
#include "run/runner.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

std::string help_of(const SettingTerm& term, std::span<const SettingDefault> defaults) {
  std::string_view initial = term.initial;
  for (const SettingDefault& own : defaults) {
    if (own.name == term.name) initial = own.text;
  }
  std::string text(term.help);
  if (term.kind == SettingKind::kChoice) text += fmt::format("; one of {}", fmt::join(setting_words(term), ", "));
  if (term.is_axis) text += "; takes a comma list";
  if (!initial.empty()) text += fmt::format(" [{}]", initial);
  return text;
}

}  // namespace

// Stable addresses: the options are bound to them.
struct PlanCommand::Options {
  std::string plan_file;
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> switches;
  std::map<std::string, CLI::Option*> declared;
};

PlanCommand::PlanCommand(PlanCommandShape shape) : shape_(std::move(shape)), options_(std::make_unique<Options>()) {}

PlanCommand::~PlanCommand() = default;

CLI::App* PlanCommand::declare(CLI::App& program) {
  CLI::App* app = program.add_subcommand(shape_.name, shape_.description);
  describe_values(*app->add_option("plan", options_->plan_file,
                                   "a YAML file of settings, or a plan that comes with the program, as padding-sweep"),
                  "PLAN.yaml|NAME");
  for (const SettingTerm& term : setting_terms()) {
    const std::string name(term.name);
    if (std::find(shape_.left_out.begin(), shape_.left_out.end(), name) != shape_.left_out.end()) continue;
    CLI::Option* option = nullptr;
    if (term.kind == SettingKind::kFlag) {
      option = app->add_flag(flag_of(name), options_->switches[name], help_of(term, shape_.defaults));
    } else {
      option = app->add_option(flag_of(name), options_->texts[name], help_of(term, shape_.defaults));
      describe_values(*option, term);
    }
    options_->declared[name] = option;
  }
  declare_more(*app);
  app->footer(shape_.examples);
  return app;
}

int PlanCommand::run(const Context& context, const std::atomic<bool>& interrupt) {
  Plan plan = make_plan(context);
  plan.replace_values("model", [&](const Json& model) -> Json {
    return pinned_hub_model(context, interrupt, model.get<std::string>());
  });
  RunnerOptions options = runner_options(plan, context.clock);
  options.interrupt = &interrupt;
  options.relative_half_width = live_half_width;
  PreparedRun prepared = prepare_run(context, plan, options);
  const std::string path = plan.value("store").get<std::string>();
  const std::unique_ptr<Store> store = open_store(path, StoreMode::kWrite, context.log);
  attach_peaks(context, *open_peak_store(path, context.log),
               peak_worker_options(context, prepared.worker, options.worker_timeout, &interrupt), prepared);
  store->begin_run(prepared.record);
  return execute_and_report(context, *store, path, prepared, options, plan.value("strict").get<bool>());
}

Plan PlanCommand::make_plan(const Context& context) {
  Plan plan;
  if (!options_->plan_file.empty()) plan.apply_file(find_plan(context.data_directory, options_->plan_file));
  for (const auto& [name, option] : options_->declared) {
    if (option->count() == 0) continue;
    const bool is_flag = setting_term(name).kind == SettingKind::kFlag;
    plan.apply_flag(name, is_flag ? "true" : options_->texts.at(name));
  }
  if (!shape_.scenario.empty()) plan.apply_flag("scenario", shape_.scenario);
  apply_more(plan);
  plan.settle();
  return plan;
}

}  // namespace transformeter
