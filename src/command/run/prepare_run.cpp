#include "run/prepare_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/hash.h"
#include "base/version.h"
#include "machine/cpu_list.h"
#include "machine/environment.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/other_gpu_processes.h"
#include "run/session.h"
#include "schema/baseline.h"
#include "schema/settings.h"
#include "spec/foreign_architecture.h"

namespace transformeter {
namespace {

struct WorkerAnswer {
  Capabilities capabilities;
  Architectures architectures = builtin_architectures();  // and what only this worker has
  Json build = Json::object();
  bool gives_outputs = false;
  bool gives_profiles = false;
  bool gives_forecasts = false;
  std::optional<Failed> fault;
};

WorkerAnswer ask_worker(const Context& context, const std::filesystem::path& worker, const RunnerOptions& options) {
  SessionOptions session_options;
  session_options.worker = worker;
  session_options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.worker_timeout);
  session_options.interrupt = options.interrupt;
  Session session(context, session_options);
  WorkerAnswer answer;
  const auto hello = session.hello();
  if (const auto described = session.describe()) {
    answer.capabilities = described->capabilities;
    for (const Json& family : described->architectures) answer.architectures.add(foreign_architecture(family));
    answer.gives_outputs = described->gives_outputs;
    answer.gives_profiles = described->gives_profiles;
    answer.gives_forecasts = described->gives_forecasts;
    answer.build = described->build;
    answer.build["program"] = hello->program;
    answer.build["version"] = hello->version;
    answer.build["sha256"] = sha256_file(worker);
    session.teardown();
  }
  answer.fault = session.fault();
  if (answer.fault && answer.fault->status == Status::kInterrupted) {
    throw Error(ErrorKind::kInterrupted, "stopped by the user");
  }
  // Nothing is known of such a worker, so `auto` is what every worker has.
  if (answer.fault) answer.capabilities.native["precision"] = {"fp32"};
  return answer;
}

Json environment_of(const Context& context, const WorkerAnswer& answer) {
  EnvironmentOptions options;
  options.program_version = std::string(program_version());
  options.git_commit = std::string(git_commit());
  Json environment = capture_environment(options, context.clock);
  environment["worker"] = answer.build;
  return environment;
}

// What was measured elsewhere, or by another build, must not mix with what comes now.
void check_same_machine(const Json& before, const Json& now) {
  const auto differs = [&](const Json::json_pointer& path) {
    const bool was_known = before.contains(path) && !before.at(path).is_null();
    return was_known && (!now.contains(path) || before.at(path) != now.at(path));
  };
  for (const char* path : {"/fingerprint", "/worker/version", "/worker/git_commit", "/worker/libtorch"}) {
    const Json::json_pointer pointer(path);
    if (!differs(pointer)) continue;
    const std::string was = before.at(pointer).dump();
    const std::string is = now.contains(pointer) ? now.at(pointer).dump() : "nothing";
    throw Error(
        ErrorKind::kBadInput,
        fmt::format("the run was started with {} {}, now it is {}; results would not be comparable. Start a new run.",
                    std::string(path + 1), was, is));
  }
}

std::optional<Seconds> seconds_of(const Plan& plan, const char* name) {
  const auto number = plan.number(name);  // nothing for auto, none
  return number ? std::optional(Seconds(*number)) : std::nullopt;
}

std::vector<const Json*> requested_of(const std::vector<PlannedCase>& cases) {
  std::vector<const Json*> requested;
  for (const PlannedCase& planned : cases) requested.push_back(&planned.record.requested);
  return requested;
}

}  // namespace

std::string new_run_id(double wall_s) {
  std::string stamp = format_utc(wall_s);  // 2026-11-21T01:53:54.123Z
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  std::random_device random;
  return fmt::format("{}-{}-{:06x}", stamp.substr(0, 8), stamp.substr(9, 6), random() & 0xFFFFFFU);
}

RunnerOptions runner_options(const Plan& plan, const Clock& clock) {
  RunnerOptions options;
  options.worker_timeout = seconds_of(plan, "worker_timeout").value_or(Seconds(120));
  options.compares = plan.text_or("reference", "on") == "on";  // a run of an earlier version has no such setting
  options.budget.total = seconds_of(plan, "time_budget");
  options.budget.case_limit = seconds_of(plan, "time_limit");
  options.budget.started = clock.now();
  options.slices = plan.has("slices") ? plan.value("slices").get<std::int64_t>() : 1;  // a run of an earlier version
  if (plan.has("baseline")) options.baseline = plan.value("baseline");
  return options;
}

PreparedRun prepare_run(const Context& context, const Plan& plan, const RunnerOptions& options) {
  ExpandOptions expand_options;
  expand_options.cores = available_cores(allowed_cpus());
  expand_options.launch_host = read_launch_host();
  // What the user got wrong comes before what a worker does; a worker of the user's own may know further models. Files
  // are hashed and read once for both.
  const auto describer = std::make_shared<Describer>(context.data_directory);
  if (!plan.has("worker")) expand(plan, expand_options, *describer);
  PreparedRun run;
  run.launch_host = expand_options.launch_host;
  run.worker = find_worker(context, plan.text_or("worker", ""));
  const WorkerAnswer answer = ask_worker(context, run.worker, options);
  run.gives_outputs = answer.gives_outputs;
  run.gives_profiles = answer.gives_profiles;
  run.gives_forecasts = answer.gives_forecasts;
  expand_options.capabilities = answer.capabilities;
  describer->learn(answer.architectures);
  run.cases = expand(plan, expand_options, *describer);
  for (PlannedCase& planned : run.cases) {
    if (!answer.fault || planned.record.status) continue;
    planned.record.status = answer.fault->status;
    planned.record.status_reason = answer.fault->reason;
  }
  // Of a worker that cannot say what it does, `auto` is not resolved as it will be.
  if (plan.has("baseline") && !answer.fault) check_baseline(plan.value("baseline"), requested_of(run.cases));
  check_other_gpu_processes(context, plan, run.cases);
  const double now = context.clock.wall_s();
  run.record.id = new_run_id(now);
  run.record.name = plan.text_or("name", "");
  run.record.started_at = format_utc(now);
  run.record.replicates_planned = plan.value("replicates").get<int>();
  run.record.host = environment_of(context, answer);
  run.record.settings = plan.to_json();
  for (const PlannedCase& planned : run.cases) run.record.cases.push_back(planned.record);
  run.expansion = std::move(expand_options);
  run.describer = describer;
  return run;
}

namespace {

PlannedCase taken_up(CaseRecord& the_case, Describer& describer) {
  // A fault before any replicate was the worker's when it was asked what it can do: it may be well again.
  if (the_case.replicates.empty() && the_case.status && !is_answer(*the_case.status)) {
    the_case.status.reset();
    the_case.status_reason.clear();
  }
  try {
    return planned_again(the_case, describer);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("the store is damaged: cannot read the settings of case {} ({})",
                                                  the_case.id, error.what()));
  }
}

}  // namespace

StoredRun stored_run(const Context& context, RunRecord record, const std::string& worker) {
  StoredRun stored;
  stored.plan = Plan::from_json(record.settings);
  stored.run.worker = find_worker(context, worker.empty() ? stored.plan.text_or("worker", "") : worker);
  stored.run.launch_host = read_launch_host();
  const WorkerAnswer answer = ask_worker(context, stored.run.worker, runner_options(stored.plan, context.clock));
  if (answer.fault) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("cannot use the worker '{}': {}", stored.run.worker.string(), answer.fault->reason));
  }
  stored.run.gives_outputs = answer.gives_outputs;
  Describer describer(context.data_directory, answer.architectures);
  for (CaseRecord& the_case : record.cases) stored.run.cases.push_back(taken_up(the_case, describer));
  check_same_machine(record.host, environment_of(context, answer));
  check_other_gpu_processes(context, stored.plan, stored.run.cases);
  stored.run.record = std::move(record);
  return stored;
}

}  // namespace transformeter
