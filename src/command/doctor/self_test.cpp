// Runs by prepare_run and execute, like the command's own; answers by analyze_case, like every report's.
#include "doctor/self_test.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/analyzed_run.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "doctor/products.h"
#include "machine/cpu_list.h"
#include "metrics/case_metrics.h"
#include "metrics/verdict_rules.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/peaks.h"
#include "run/runner.h"
#include "store/store.h"

namespace transformeter {
namespace {

using enum CheckLevel;
namespace fs = std::filesystem;

constexpr double kMean = 0.010;    // seconds
constexpr double kSpread = 0.001;  // seconds
constexpr int kSamples = 400;
constexpr const char* kKnownWhy = "checks the path from a worker's samples to the reported numbers with known answers";
constexpr const char* kUnfinished = "the self-test did not finish; please report this with the output of this command";
constexpr const char* kBroken = "this build reports wrong numbers; please report this with the output of this command";

// The fake worker reads its behaviour from the environment it inherits.
class FakeBehaviour {
 public:
  explicit FakeBehaviour(const Json& behaviour) {
    if (const char* before = ::getenv(kVariable)) before_ = before;
    ::setenv(kVariable, behaviour.dump().c_str(), 1);
  }
  ~FakeBehaviour() {
    if (before_) {
      ::setenv(kVariable, before_->c_str(), 1);
    } else {
      ::unsetenv(kVariable);
    }
  }
  FakeBehaviour(const FakeBehaviour&) = delete;
  FakeBehaviour& operator=(const FakeBehaviour&) = delete;

 private:
  static constexpr const char* kVariable = "TRANSFORMETER_FAKE_WORKER";
  std::optional<std::string> before_;
};

class NoProgress final : public Progress {
 public:
  void run_started(const RunRecord&, const std::optional<MeasuringTime>&) override {}
  void reference_started(const CaseRecord&, const ProgressPoint&) override {}
  void case_started(const CaseRecord&, const ProgressPoint&) override {}
  void samples_taken(const ProgressSamples&) override {}
  void case_done(const CaseRecord&, const ProgressPoint&) override {}
  void run_done(const RunOutcome&) override {}
};

RunRecord run_plan(const Context& context, const std::map<std::string, std::string>& settings,
                   const std::atomic<bool>& interrupt) {
  Plan plan;
  for (const auto& [name, value] : settings) plan.apply_flag(name, value);
  RunnerOptions options = runner_options(plan, context.clock);
  options.interrupt = &interrupt;
  PreparedRun prepared = prepare_run(context, plan, options);
  const TemporaryDirectory folder;
  const std::unique_ptr<Store> store = open_store(folder.path() / "self-test.db", StoreMode::kWrite);
  store->begin_run(prepared.record);
  NoProgress progress;
  const RunOutcome outcome = execute(context, *store, prepared, options, progress);
  if (outcome.interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  return store->load_run(outcome.run_id, true);
}

// In one window: what is asked here does not depend on the machine's moods.
std::map<std::string, std::string> small_plan(const std::string& batch_sizes) {
  return {{"model", "bert-test"}, {"batch_size", batch_sizes}, {"sequence_length", "16"},
          {"precision", "fp32"},  {"reference", "off"},        {"threads", "1"},
          {"slices", "1"}};
}

Check harness_cost(const Context& context, const std::string& worker, const std::atomic<bool>& interrupt) {
  const auto unknown = [](const std::string& reason) {
    return Check{kLimited, "harness cost", "not measured: " + reason, "measured by a worker with an empty model",
                 "fix the worker first"};
  };
  try {
    std::map<std::string, std::string> settings = small_plan("1");
    settings.insert({{"samples", "20"}, {"warmup", "2"}});
    if (!worker.empty()) settings.insert({"worker", worker});
    const RunRecord run = run_plan(context, settings, interrupt);
    const CaseRecord& the_case = run.cases.front();
    if (the_case.status != Status::kOk) return unknown(the_case.status_reason);
    const CaseAnalysis analysis = analyze_case(the_case);
    const MetricRow* row = find_metric(analysis.metrics, "harness_cost", "");
    if (row == nullptr || !row->value) return unknown("the worker did not report it");
    return judge_harness(Seconds(*row->value));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    return unknown(error.what());
  }
}

Check products(const Context& context, const std::string& worker, const std::atomic<bool>& interrupt) {
  const int threads = available_cores(allowed_cpus());
  Peak peak;
  try {
    PeakWorkerOptions options;
    options.worker = find_worker(context, worker);
    options.interrupt = &interrupt;
    measure_peaks(context, options, {"", "", "cpu", threads}, {gemm_peak("fp32")},
                  [&](PeakRecord record) { peak = std::move(record.peak); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    peak.reason = error.what();
  }
  return judge_products(peak, threads);
}

// A run that could not be made says nothing about numbers. What the machine lacks is the user's to put right; anything
// else is a fault of this build.
Check unchecked_answers(const Error& error) {
  const std::string state = fmt::format("not checked: {}", error.what());
  if (error.kind() == ErrorKind::kEnvironment) {
    return {kLimited, "known answers", state, kKnownWhy, "fix this and run the self-test again"};
  }
  return {kProblem, "known answers", state, kKnownWhy, kUnfinished};
}

Checks known_answers(const Context& context, const std::atomic<bool>& interrupt) {
  const fs::path fake = context.program_directory / "transformeter-fake-worker";
  std::error_code code;
  if (!fs::exists(fake, code)) {
    return {{kLimited, "known answers", fmt::format("not checked: no {}", fake.string()), kKnownWhy,
             "run make doctor; installed programs do not include it"}};
  }
  try {
    const FakeBehaviour behaviour(known_answers_behaviour());
    std::map<std::string, std::string> settings = small_plan("1,2,3,4");
    settings.insert({"worker", fake.string()});
    return judge_known_answers(run_plan(context, settings, interrupt));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) throw;
    return {unchecked_answers(error)};
  }
}

Check verdict_on(bool right, const std::string& what, const std::string& state) {
  return {right ? kOk : kProblem, "known answers: " + what, state, kKnownWhy, right ? "" : kBroken};
}

// No answer is not a wrong one.
Check unmeasured_answer(int batch_size, const CaseRecord* the_case) {
  return {kProblem, fmt::format("known answers: batch size {}", batch_size),
          the_case == nullptr ? "no such case" : the_case->status_reason, kKnownWhy, kUnfinished};
}

const CaseRecord* case_of(const RunRecord& run, int batch_size) {
  for (const CaseRecord& one : run.cases) {
    if (one.requested.value("batch_size", 0) == batch_size) return &one;
  }
  return nullptr;
}

std::optional<double> value_of(const CaseAnalysis& analysis, const char* metric, const char* statistic) {
  const MetricRow* row = find_metric(analysis.metrics, metric, statistic);
  return row == nullptr ? std::nullopt : row->value;
}

Check constant_answer(const CaseAnalysis& analysis) {
  const auto median_s = value_of(analysis, "latency", "median");
  const auto rate = value_of(analysis, "throughput_samples", "");
  const bool right = median_s && rate && std::fabs(*median_s / kMean - 1) < 1e-9 && std::fabs(*rate * kMean - 1) < 1e-9;
  return verdict_on(
      right, "constant",
      fmt::format("median {}, {} sample/s; expected {} and {}", median_s ? format_duration(*median_s) : "none",
                  rate ? format_number(*rate) : "no", format_duration(kMean), format_number(1 / kMean)));
}

// The median of a lognormal is mean ÷ √(1 + cv²). Its estimate from n samples has the relative standard error
// √(π/2) σ ÷ √n, with σ² = ln(1 + cv²); four of them are passed once in 16,000 times.
Check lognormal_answer(const CaseAnalysis& analysis) {
  const double cv = kSpread / kMean;
  const double expected_s = kMean / std::sqrt(1 + cv * cv);
  const double error = std::sqrt(M_PI / 2) * std::sqrt(std::log1p(cv * cv)) / std::sqrt(kSamples);
  const auto median_s = value_of(analysis, "latency", "median");
  const bool right = median_s && std::fabs(*median_s / expected_s - 1) <= 4 * error;
  return verdict_on(
      right, "lognormal",
      fmt::format("median {}; expected {} within {:.1f} %", median_s ? format_duration(*median_s) : "none",
                  format_duration(expected_s), 400 * error));
}

Check drift_answer(const CaseAnalysis& analysis) {
  std::vector<std::string> names;
  for (const Finding& reason : analysis.verdict.reasons) names.push_back(reason.name);
  const bool right = std::any_of(names.begin(), names.end(),
                                 [](const std::string& name) { return name == "drift" || name == "not_converged"; });
  return verdict_on(right, "drift",
                    fmt::format("{}, {}; expected drift or not_converged", name_of(analysis.verdict.level),
                                names.empty() ? "no reason" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

Json known_answers_behaviour() {
  const auto one = [](int batch_size, const char* key, Json value) {
    return Json{{"when", {{"batch_size", batch_size}}}, {key, std::move(value)}};
  };
  Json slower = {{"kind", "normal"}, {"mean_s", kMean}, {"sd_s", kSpread / 10}, {"drift_per_sample", 0.005}};
  Json death = Json::array({{{"kind", "crash"}, {"at", "measure"}, {"signal", 15}}});
  return {{"samples", kSamples},
          {"cases",
           {one(1, "latency", {{"kind", "constant"}, {"mean_s", kMean}}),
            one(2, "latency", {{"kind", "lognormal"}, {"mean_s", kMean}, {"sd_s", kSpread}}),
            one(3, "latency", std::move(slower)), one(4, "faults", std::move(death))}}};
}

Checks judge_known_answers(const RunRecord& run) {
  Checks checks;
  for (const auto& [batch_size, judge] :
       {std::pair{1, &constant_answer}, std::pair{2, &lognormal_answer}, std::pair{3, &drift_answer}}) {
    const CaseRecord* the_case = case_of(run, batch_size);
    if (the_case == nullptr || the_case->status != Status::kOk) {
      checks.push_back(unmeasured_answer(batch_size, the_case));
      continue;
    }
    checks.push_back(judge(analyze_case(*the_case)));
  }
  const CaseRecord* dead = case_of(run, 4);
  const std::string_view status = dead != nullptr && dead->status ? name_of(*dead->status) : "no status";
  checks.push_back(
      verdict_on(status == "crashed", "a worker that dies", fmt::format("status {}; expected crashed", status)));
  return checks;
}

Check judge_timer(const TimerCost& cost) {
  const std::string why =
      fmt::format("samples shorter than {:.0f} times the clock resolution are invalid", kMinClockSteps);
  if (!cost.resolution) return {kProblem, "timer", "the clock does not advance", why, "use another clock source"};
  return {
      kOk, "timer",
      fmt::format("resolution {}, a reading takes {}; shortest sample {}", format_duration(cost.resolution->count()),
                  format_duration(cost.overhead.count()), format_duration(kMinClockSteps * cost.resolution->count())),
      why, ""};
}

Check judge_harness(Seconds cost) {
  const std::string state =
      fmt::format("{} per sample with an empty model, which is 0.1 % of a {} sample", format_duration(cost.count()),
                  format_duration(cost.count() / kMaxHarnessShare));
  const std::string why = "the harness should add at most 1 us and 0.1 % to a sample";
  if (cost.count() <= kMaxHarnessCost) return {kOk, "harness cost", state, why, ""};
  return {kLimited, "harness cost", state, why, "measure longer samples, or check for background load"};
}

Checks self_test(const Context& context, const std::string& worker, const std::atomic<bool>& interrupt) {
  Checks checks = {judge_timer(measure_timer(context.clock)), harness_cost(context, worker, interrupt),
                   products(context, worker, interrupt)};
  for (Check& one : known_answers(context, interrupt)) checks.push_back(std::move(one));
  return checks;
}

}  // namespace transformeter
