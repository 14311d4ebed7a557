// `transformeter run`: a plan from flags and a file, measured into a store.
#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "base/error.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/option_values.h"
#include "cli/run_report.h"
#include "cli/run_session.h"
#include "run/plan_place.h"
#include "run/run_peaks.h"
#include "run/runner.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter run
      the default plan: DistilBERT-base with seeded random weights on bundled sentences
  transformeter run --batch-size 1,8 --sequence-length 128 \
    --precision fp32,bf16
  transformeter run plan.yaml --replicates 5 --time-budget 10m --store a.db
      settings from a file, flags override it
  transformeter run --attention eager,sdpa --baseline attention=eager
      three replicates, and a table of speed-up and memory saved against eager
  transformeter run padding-sweep
      a plan that comes with the program: attention kernels against padding
  transformeter run --model my-model/ --data dev.tsv \
    --sequence-length natural
  transformeter run --model gpt2 --scenario generate \
    --prompt-length 128,512 --new-tokens 32
      one request at a time: time to the first token, and of each further one
  transformeter run --model distilbert/distilbert-base-uncased
      a model of the Hugging Face hub, fetched into the cache when it is not there; org/name@REVISION for a certain one
  transformeter run --allocator glibc,glibc_raised,jemalloc,mimalloc \
    --batch-size 32
      which malloc; page_faults in the results says what each costs

A plan file has the same settings in snake_case:
  model: distilbert-base
  batch_size: [1, 8, 32]
  sequence_length: [128, natural]

Exit codes: 0 every case has an answer and one is ok, 1 a case failed or none is ok, 3 bad input, 130 interrupted.)";

std::string help_of(const SettingTerm& term) {
  std::string text(term.help);
  if (term.kind == SettingKind::kChoice) text += fmt::format("; one of {}", fmt::join(setting_words(term), ", "));
  if (term.is_axis) text += "; takes a comma list";
  if (!term.initial.empty()) text += fmt::format(" [{}]", term.initial);
  return text;
}

class RunCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("run", "measure the cases of a plan and store the results");
    describe_values(
        *app->add_option("plan", plan_file_,
                         "a YAML file of settings, or a plan that comes with the program, as padding-sweep"),
        "PLAN.yaml|NAME");
    for (const SettingTerm& term : setting_terms()) {
      const std::string name(term.name);
      CLI::Option* option = nullptr;
      if (term.kind == SettingKind::kFlag) {
        option = app->add_flag(flag_of(name), switches_[name], help_of(term));
      } else {
        option = app->add_option(flag_of(name), texts_[name], help_of(term));
        describe_values(*option, term);
      }
      options_[name] = option;
    }
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
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
    attach_peaks(context, *open_peak_store(path, context.log), {prepared.worker, options.worker_timeout, &interrupt},
                 prepared);
    store->begin_run(prepared.record);
    return execute_and_report(context, *store, path, prepared, options, plan.value("strict").get<bool>());
  }

 private:
  Plan make_plan(const Context& context) const {
    Plan plan;
    if (!plan_file_.empty()) plan.apply_file(find_plan(context.data_directory, plan_file_));
    for (const auto& [name, option] : options_) {
      if (option->count() == 0) continue;
      const bool is_flag = setting_term(name).kind == SettingKind::kFlag;
      plan.apply_flag(name, is_flag ? "true" : texts_.at(name));
    }
    plan.settle();
    return plan;
  }

  std::string plan_file_;
  std::map<std::string, std::string> texts_;  // stable addresses: the options are bound to them
  std::map<std::string, bool> switches_;
  std::map<std::string, CLI::Option*> options_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace transformeter
