// `transformeter runs`: lists what a store holds.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "report/command_line.h"
#include "schema/missing_replicates.h"
#include "schema/status.h"
#include "store/store.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter runs"},
    {"transformeter runs --store results.db --format json"},
    {"transformeter runs --trials", "those of engine auto too; `transformeter show RUN` shows one"},
};

struct RunSummary {
  std::map<std::string, int> statuses;  // name to number of cases
  int pending_cases = 0;
  int replicates = 0;
  PendingReplicates pending;
};

RunSummary summarize(const RunRecord& run) {
  RunSummary summary;
  summary.pending = pending_replicates(run);
  for (const CaseRecord& the_case : run.cases) {
    summary.replicates += static_cast<int>(the_case.replicates.size());
    if (the_case.status) {
      ++summary.statuses[std::string(name_of(*the_case.status))];
    } else {
      ++summary.pending_cases;
    }
  }
  return summary;
}

bool has_something_to_resume(const std::vector<RunRecord>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const RunRecord& run) { return is_resumable(run) && pending_replicates(run).pending > 0; });
}

std::string table_of(const std::vector<RunRecord>& runs, bool shows_role) {
  std::vector<std::vector<std::string>> rows;
  for (const RunRecord& run : runs) {
    const RunSummary summary = summarize(run);
    std::vector<std::string> parts;
    for (const auto& [name, count] : summary.statuses) parts.push_back(fmt::format("{} {}", count, name));
    const auto& [pending, total] = summary.pending;
    if (pending > 0) parts.push_back(fmt::format("{} of {} pending", pending, counted(total, "replicate")));
    rows.push_back({run.id, run.name, run.started_at, std::to_string(run.cases.size()),
                    std::to_string(summary.replicates), fmt::format("{}", fmt::join(parts, ", "))});
    if (shows_role) rows.back().emplace_back(name_of(run.role));
  }
  std::vector<TextColumn> columns{{"run"}, {"name"}, {"started"}, {"cases", true}, {"replicates", true}, {"status"}};
  if (shows_role) columns.push_back({"role"});
  return text_table(columns, rows);
}

Json json_of(const std::vector<RunRecord>& runs) {
  Json list = Json::array();
  for (const RunRecord& run : runs) {
    const RunSummary summary = summarize(run);
    list.push_back({{"id", run.id},
                    {"name", run.name},
                    {"role", name_of(run.role)},
                    {"started_at", run.started_at},
                    {"replicates_planned", run.replicates_planned},
                    {"replicate_count", summary.replicates},
                    {"case_count", run.cases.size()},
                    {"pending_count", summary.pending_cases},
                    {"pending_replicate_count", summary.pending.pending},
                    {"statuses", summary.statuses}});
  }
  return {{"schema_version", kResultSchemaVersion}, {"runs", list}};
}

class RunsCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "runs",
            .task = CommandTask::kResults,
            .summary = "list the runs in a store, latest first",
            .options = {store_option(store_),
                        {.names = {"--trials"},
                         .target = &shows_trials_,
                         .help = "also the runs of trials by which engine auto chose settings"},
                        format_option(format_, {"table", "json"})},
            .examples = kExamples};
  }

  int run(const Context& context, const std::atomic<bool>&) override {
    check_format(format_, {"table", "json"});
    std::vector<RunRecord> runs = open_store(store_, StoreMode::kRead, context.log)->list_runs();
    if (!shows_trials_) std::erase_if(runs, [](const RunRecord& run) { return run.role == RunRole::kTrial; });
    if (format_ == "json") {
      write_standard_output(json_of(runs).dump(2) + "\n");
    } else {
      std::string text = table_of(runs, shows_trials_);
      if (has_something_to_resume(runs)) {
        text += fmt::format("finish a run with: {}\n", resume_command("RUN", store_path(store_)));
      }
      write_standard_output(text);
    }
    return kExitOk;
  }

 private:
  std::string store_;
  std::string format_;
  bool shows_trials_ = false;
};

}  // namespace

std::unique_ptr<Command> make_runs_command() {
  return std::make_unique<RunsCommand>();
}

}  // namespace transformeter
