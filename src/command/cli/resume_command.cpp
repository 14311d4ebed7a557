// `transformeter resume`: measures what a run has not measured yet.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/run_session.h"
#include "run/due_replicates.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter resume", "finish the latest run in transformeter.db"},
    {"transformeter resume 20261121-015354-3fa9c1 --store results.db"},
    {"transformeter resume nightly --retry-failed", "also repeat replicates that crashed, hung or failed"},
};
constexpr const char* kNotes[] = {
    "Finished replicates are kept. Model, data, machine and worker build must be the same as in the run; otherwise "
    "the results would not be comparable.",
};

class ResumeCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "resume",
            .task = CommandTask::kMeasure,
            .summary = "finish a run that was stopped or ran out of its time budget",
            .options = {run_option(run_),
                        store_option(store_),
                        {.names = {"--worker"},
                         .target = &worker_,
                         .placeholder = "PATH",
                         .help = "worker program; default: the run's"},
                        {.names = {"--retry-failed"},
                         .target = &retry_failed_,
                         .help = "also repeat replicates that crashed, hung or failed"}},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    open_store(store_, StoreMode::kRead, context.log);  // a missing store is an error here, not a new one
    const std::unique_ptr<Store> store = open_store(store_, StoreMode::kWrite, context.log);
    StoredRun stored = resumed_run(context, *store, run_, worker_);
    RunnerOptions options = runner_options(stored.plan, context.clock);
    options.interrupt = &interrupt;
    options.retry_faults = retry_failed_;
    const DueReplicates due(stored.run.cases, stored.run.record.replicates_planned, retry_failed_);
    if (due.count() == 0) {
      context.log(LogLevel::kInfo, fmt::format("nothing is left to measure: every replicate has ended{}",
                                               retry_failed_ ? "" : "; --retry-failed repeats those that failed"));
    }
    return execute_and_report(context, *store, store_, stored.run, options, stored.plan.value("strict").get<bool>());
  }

 private:
  std::string run_;
  std::string store_;
  std::string worker_;
  bool retry_failed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_resume_command() {
  return std::make_unique<ResumeCommand>();
}

}  // namespace transformeter
