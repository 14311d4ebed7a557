// `transformeter resume`: what a run has not measured yet.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_session.h"
#include "run/runner.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter resume
      finishes the latest run in transformeter.db
  transformeter resume 20261121-015354-3fa9c1 --store results.db
  transformeter resume nightly --retry-failed
      also measures again in place of replicates that crashed, hung or failed

Finished replicates are kept and not repeated. Model, data, machine and the worker's build must be those of the run.)";

class ResumeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("resume", "finish a run that was stopped or ran out of its time budget");
    app->add_option("run", run_, "id, beginning of an id, or name; default: the latest run")->option_text("RUN");
    describe_values(*app->add_option("--store", store_, "the results database [transformeter.db]"), "PATH");
    describe_values(*app->add_option("--worker", worker_, "the worker program; default: the run's"), "PATH");
    app->add_flag("--retry-failed", retry_failed_, "measure again in place of replicates that crashed, hung or failed");
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    open_store(store_, StoreMode::kRead, context.log);  // a missing store is an error here, not a new one
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kWrite, context.log);
    StoredRun stored = stored_run(context, store->load_run(run_, false), worker_);
    RunnerOptions options = runner_options(stored.plan, context.clock);
    options.interrupt = &interrupt;
    options.retry_faults = retry_failed_;
    return execute_and_report(context, *store, store_, stored.run, options, stored.plan.value("strict").get<bool>());
  }

 private:
  std::string run_;
  std::string store_ = std::string(setting_term("store").initial);
  std::string worker_;
  bool retry_failed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_resume_command() {
  return std::make_unique<ResumeCommand>();
}

}  // namespace transformeter
