// The runner measures, the analysis of a case judges: a race is a run like any other, but for its role.
#include "tuning/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metrics/case_summary.h"
#include "run/race_rule.h"
#include "run/runner.h"

namespace transformeter {
namespace {

constexpr Seconds kSlice{0.25};
constexpr std::int64_t kFirstSlices = 2;  // of each contender
constexpr Seconds kMemoryWindow{1};

PreparedRun run_of_trials(const Context& context, const PreparedRun& run, const std::vector<Json>& points,
                          int processes) {
  PreparedRun trials;
  trials.worker = run.worker;
  trials.launch_host = run.launch_host;
  trials.gives_outputs = run.gives_outputs;
  trials.record.role = RunRole::kTrial;
  const double now = context.clock.wall_s();
  trials.record.id = new_run_id(now);
  trials.record.name = run.record.name.empty() ? "" : fmt::format("{} (trials)", run.record.name);
  trials.record.started_at = format_utc(now);
  trials.record.host = run.record.host;
  trials.record.host.erase("engine_choices");  // of cases of that run, not of these
  trials.record.settings = run.record.settings;
  trials.record.settings.erase("baseline");
  trials.record.replicates_planned = processes;
  for (Json point : points) {
    if (point.contains("samples")) point["samples"] = "auto";  // the race decides how many
    point.erase("cycles");
    if (point.contains("warmup")) point["warmup"] = 1;  // of each slice; a contender's first does not count
    trials.cases.push_back(planned_point(std::move(point), run.expansion, *run.describer));
  }
  name_cases(trials.cases);
  for (const PlannedCase& planned : trials.cases) trials.record.cases.push_back(planned.record);
  return trials;
}

// Settings in which the first differs from any other: no other fulfils them all.
Json baseline_among(const std::vector<Json>& points) {
  Json baseline = Json::object();
  for (const Json& point : points) {
    for (const auto& [name, value] : point.items()) {
      if (points.front().value(name, Json()) != value) baseline[name] = points.front().value(name, Json());
    }
  }
  return baseline;
}

RunnerOptions options_of_race(const Context& context, const RunnerOptions& options, const std::vector<Json>& points,
                              Objective objective, Seconds time) {
  RunnerOptions race = options;
  race.budget = {.total = time, .case_limit = std::nullopt, .started = context.clock.now()};
  race.retry_faults = false;
  race.spends_rest = objective == Objective::kLatency;
  if (objective == Objective::kMemory) {
    race.slices = 1;
    race.budget.case_limit = kMemoryWindow;
    race.baseline = nullptr;
    return race;
  }
  race.slices = kFirstSlices;
  race.slice = kSlice;
  race.baseline = baseline_among(points);
  race.after_slices = AfterSlices::kRace;
  return race;
}

// The first that makes it invalid, not only doubtful; null where there is none.
const Finding* invalid_reason(const Verdict& verdict) {
  const auto is_invalid = [](const Finding& reason) {
    const auto terms = verdict_reasons();
    return std::any_of(terms.begin(), terms.end(), [&](const VerdictTerm& term) {
      return term.name == reason.name && term.level == VerdictLevel::kInvalid;
    });
  };
  const auto found = std::find_if(verdict.reasons.begin(), verdict.reasons.end(), is_invalid);
  return found == verdict.reasons.end() ? nullptr : &*found;
}

std::string why_not(const CaseRecord& record, const CaseAnalysis& analysis, const SearchLimits& limits) {
  if (!record.status) return kNotReached;
  if (*record.status != Status::kOk) return fmt::format("{}: {}", name_of(*record.status), record.status_reason);
  if (const Finding* reason = invalid_reason(analysis.verdict)) {
    return fmt::format("{}: {}", reason->name, reason->detail);
  }
  if (!limits.divergence) return "";
  const MetricRow* divergence = find_metric(analysis.metrics, "divergence", "");
  if (divergence == nullptr || !divergence->value) return "its outputs were compared with none";
  if (*divergence->value <= *limits.divergence) return "";
  return fmt::format("its divergence of {:.2g} is above the limit of {:.2g}", *divergence->value, *limits.divergence);
}

std::vector<Contender> contenders_of(const std::vector<Json>& points, const RunRecord& run,
                                     const SearchLimits& limits) {
  std::vector<Contender> contenders;
  std::vector<SliceTime> first;
  std::vector<std::size_t> places;       // of those that raced
  std::vector<std::vector<Quad>> pairs;  // of each of them with the first
  for (const CaseRecord& record : run.cases) {
    const CaseAnalysis analysis = analysis_of(record);
    Contender& one = contenders.emplace_back();
    one.point = points[contenders.size() - 1];
    one.why_not = why_not(record, analysis, limits);
    if (const MetricRow* memory = find_metric(analysis.metrics, "peak_rss", "")) one.memory_bytes = memory->value;
    if (contenders.size() == 1) {
      first = analysis.slices;
      continue;
    }
    const std::vector<Quad> quads = quads_of(first, analysis.slices);
    one.speed_up = quotient_over_quads(quads);
    if (record.status != Status::kOk) continue;
    places.push_back(contenders.size() - 1);
    pairs.push_back(quads);
  }
  const std::vector<bool> left = who_left_race(pairs);
  for (std::size_t i = 0; i < left.size(); ++i) contenders[places[i]].is_out = left[i];
  return contenders;
}

}  // namespace

Race hold_race(const Context& context, Store& store, const PreparedRun& run, const RunnerOptions& options,
               const std::vector<Json>& points, const SearchLimits& limits, Seconds time, int processes,
               Progress& progress) {
  PreparedRun trials = run_of_trials(context, run, points, processes);
  store.begin_run(trials.record);
  const RunnerOptions of_race = options_of_race(context, options, points, limits.objective, time);
  const RunOutcome outcome = execute(context, store, trials, of_race, progress);
  RunRecord stored;
  RunQuery query;
  query.selector = trials.record.id;
  query.needs_series = [](const CaseRecord& one) { return !has_current_summary(one); };
  store.visit(query, {[&](RunRecord&& one) { stored = std::move(one); },
                      [&](CaseRecord&& one) { stored.cases.push_back(std::move(one)); }});
  return {trials.record.id, contenders_of(points, stored, limits), outcome.interrupted};
}

}  // namespace transformeter
