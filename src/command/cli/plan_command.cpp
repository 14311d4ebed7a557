// Plans from options and files, measured.
#include "cli/plan_command.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/dry_run.h"
#include "cli/plan_options.h"
#include "cli/run_session.h"
#include "run/find_plan.h"
#include "run/model_families.h"
#include "schema/settings.h"
#include "store/store.h"

namespace transformeter {
namespace {

const std::vector<std::string> kDryRunFormats{"table", "json", "markdown"};

OptionDeclaration model_families_option(std::string& target) {
  return {.names = {"--model-families"},
          .target = &target,
          .placeholder = "FAMILY,...",
          .help = "default models of these families, in place of --model",
          .words = model_families(),
          .has_only_words = true,
          .is_list = true,
          .excludes = "--model",
          .group = std::string(name_of(SettingTopic::kModel)),
          .is_common = false};
}

}  // namespace

struct PlanCommand::Options {
  std::string plan_file;
  PlanOptions settings;
  std::string model_families;
  bool forecasts_only = false;
  std::string forecast_format;
};

PlanCommand::PlanCommand(PlanCommandShape shape) : shape_(std::move(shape)), options_(std::make_unique<Options>()) {}

PlanCommand::~PlanCommand() = default;

OptionDeclaration PlanCommand::option_of(const SettingTerm& term) {
  OptionDeclaration option = options_->settings.option_of(term, shape_.defaults);
  // Who trains takes the command `train`.
  if (term.topic == SettingTopic::kTraining && shape_.scenario != Scenario::kTrain) option.is_common = false;
  return option;
}

bool PlanCommand::has(const SettingTerm& term) const {
  if (shape_.has != nullptr) return shape_.has(term);
  return term.commands.train || shape_.scenario != Scenario::kTrain;
}

CommandDeclaration PlanCommand::declare() {
  std::vector<OptionDeclaration> options;
  options.push_back({.names = {"plan"},
                     .target = &options_->plan_file,
                     .placeholder = "PLAN.yaml|NAME",
                     .help = "YAML or JSON file of settings, or a bundled plan such as padding-sweep"});
  for (const SettingTerm& term : setting_terms()) {
    if (has(term)) options.push_back(option_of(term));
  }
  if (shape_.has == nullptr) {
    options.push_back(model_families_option(options_->model_families));
    options.push_back({.names = {"--dry-run"},
                       .target = &options_->forecasts_only,
                       .help = "print the cases with the memory and the time they will take, and measure nothing",
                       .group = std::string(name_of(SettingTopic::kOutput))});
    options.push_back({.names = {"--dry-run-format"},
                       .target = &options_->forecast_format,
                       .placeholder = "FORMAT",
                       .help = "how --dry-run prints; default: table",
                       .words = kDryRunFormats,
                       .has_only_words = true,
                       .group = std::string(name_of(SettingTopic::kOutput)),
                       .is_common = false});
  }
  declare_more(options);
  sort_by_topic(options);
  return {.name = shape_.name,
          .task = shape_.task,
          .summary = shape_.summary,
          .options = std::move(options),
          .examples = shape_.examples,
          .notes = shape_.notes};
}

int PlanCommand::run(const Context& context, const std::atomic<bool>& interrupt) {
  if (!options_->forecasts_only && !options_->forecast_format.empty()) {
    throw Error(ErrorKind::kBadInput, "--dry-run-format says how --dry-run prints: add --dry-run, or leave it out");
  }
  const std::string& format = options_->forecast_format;
  const bool is_known = std::find(kDryRunFormats.begin(), kDryRunFormats.end(), format) != kDryRunFormats.end();
  if (!format.empty() && !is_known) throw unknown_value("dry-run-format", format, kDryRunFormats);
  Plan plan = make_plan(context);
  const std::string path = plan.value("store").get<std::string>();
  const bool is_strict = plan.value("strict").get<bool>();
  if (options_->forecasts_only) {
    return show_forecast(context, plan_run(context, interrupt, plan), path, options_->forecast_format, is_strict);
  }
  const RunOutcome outcome = measure_plan(context, interrupt, plan);
  const std::unique_ptr<Store> store = open_store(path, StoreMode::kRead, context.log);
  return report_outcome(*store, path, outcome, is_strict);
}

void PlanCommand::apply_defaults(Plan& plan, std::span<const SettingDefault> defaults) {
  for (const SettingDefault& own : defaults) {
    if (plan.at(own.name).origin != "default") continue;
    plan.replace_values(own.name, [&](const Json&) { return parse_setting(setting_term(own.name), own.text); });
  }
}

Plan PlanCommand::make_plan(const Context& context) {
  Plan plan;
  if (!options_->plan_file.empty()) plan.apply_file(find_plan(context.data_directory, options_->plan_file));
  options_->settings.apply_to(plan);
  if (!options_->model_families.empty()) plan.apply_flag("model", models_of_families(options_->model_families));
  if (shape_.scenario) plan.apply_flag("scenario", name_of(*shape_.scenario));
  apply_more(plan);
  plan.settle();
  return plan;
}

}  // namespace transformeter
