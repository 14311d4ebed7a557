// Look up, else search; then the case is planned again with what was chosen.
#include "tuning/choose_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "schema/setting_label.h"
#include "tuning/engine_search.h"

namespace transformeter {
namespace {

constexpr Seconds kUsualTime{180};
constexpr double kShareOfBudget = 0.5;  // of all searches
constexpr double kSameTime = 0.9;       // of the time allowed now, what an unfinished search had

bool is_to_choose(const PlannedCase& planned) {
  return planned.asked.engine == "auto" && !planned.record.status;
}

SearchLimits limits_of(const Plan& plan, const RunnerOptions& options, const PreparedRun& run) {
  SearchLimits limits;
  limits.objective = plan.text_or("objective", "latency") == "memory" ? Objective::kMemory : Objective::kLatency;
  limits.divergence = plan.number("divergence_limit");
  if (limits.divergence) {
    if (std::any_of(run.cases.begin(), run.cases.end(),
                    [](const PlannedCase& one) { return is_to_choose(one) && one.asked.is_train(); })) {
      throw Error(ErrorKind::kBadInput,
                  "divergence_limit compares outputs, and a training step has none; leave it out for scenario train");
    }
    if (!options.compares) {
      throw Error(ErrorKind::kBadInput,
                  "divergence_limit needs reference on: outputs that are compared with none have no divergence");
    }
    if (!run.gives_outputs) {
      throw Error(ErrorKind::kBadInput, "divergence_limit needs a worker that returns outputs; this one does not");
    }
  }
  return limits;
}

// Of each search.
Seconds time_of(const Plan& plan, const RunnerOptions& options, std::size_t searches) {
  const Seconds time(plan.number("trial_time").value_or(kUsualTime.count()));
  if (!options.budget.total) return time;
  return std::min(time, kShareOfBudget * *options.budget.total / static_cast<double>(searches));
}

// The worker's engine `auto` begins as another one does.
std::string start_name(const Capabilities& capabilities) {
  const auto own = capabilities.engines.find("auto");
  for (const auto& [name, choices] : capabilities.engines) {
    if (own != capabilities.engines.end() && name != "auto" && choices == own->second) return name;
  }
  return "auto";
}

std::string what_of(const Json& requested) {
  std::string text;
  for (const char* name : {"model", "batch_size", "sequence_length", "prompt_length", "precision"}) {
    if (!requested.contains(name)) continue;
    if (!text.empty()) text.push_back(' ');
    text += setting_label(name, requested.at(name));
  }
  return text;
}

// Whatever may change what is best: the workload, what is fixed, what is open, and the build that computes it.
std::string key_of(const PlannedCase& planned, const SearchSetup& setup, const Json& host) {
  const Json key = {{"workload", planned.workload},
                    {"start", setup.start},
                    {"open", {setup.open.engine, setup.open.launch}},
                    {"objective", setup.limits.objective == Objective::kMemory ? "memory" : "latency"},
                    {"divergence_limit", setup.limits.divergence ? Json(*setup.limits.divergence) : Json()},
                    {"worker", host.value("worker", Json())}};
  return sha256_hex(canonical_json(key));
}

PlannedCase with_changes(const PlannedCase& planned, const Json& changes, const PreparedRun& run) {
  Json point = planned.record.requested;
  point.update(changes);
  PlannedCase chosen = planned_point(std::move(point), run.expansion, *run.describer);
  chosen.record.id = planned.record.id;
  chosen.record.position = planned.record.position;
  return chosen;
}

bool is_open(const OpenSettings& open, const std::string& name) {
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return is_in(open.engine) || is_in(open.launch);
}

// A file may have been edited, and what it names, such as an allocator, may be gone.
bool can_be_taken(const EngineChoice& choice, const PlannedCase& planned, const SearchSetup& setup,
                  const PreparedRun& run) {
  for (const auto& [name, value] : choice.changes.items()) {
    if (!is_open(setup.open, name)) return false;
  }
  try {
    const bool had_time = choice.all_compared || choice.trial_time_s >= kSameTime * setup.time.count();
    return had_time && !with_changes(planned, choice.changes, run).record.status;
  } catch (const Error&) {  // a value of another type
    return false;
  }
}

// What stood in the way of a search may be gone next time.
bool is_worth_keeping(SearchEnd end) {
  return end != SearchEnd::kNoStart && end != SearchEnd::kNoRoom;
}

void take(const EngineChoice& choice, PlannedCase& planned, PreparedRun& run) {
  planned = with_changes(planned, choice.changes, run);
  run.record.host["engine_choices"][planned.record.id] = choice;
  run.record.cases.at(static_cast<std::size_t>(planned.record.position)) = planned.record;
}

}  // namespace

bool has_engine_to_choose(const PreparedRun& run) {
  return std::any_of(run.cases.begin(), run.cases.end(), is_to_choose);
}

void choose_engines(const Context& context, Store& store, const Plan& plan, const RunnerOptions& options,
                    PreparedRun& run, const SearchEvents& events) {
  const auto count = static_cast<std::size_t>(std::count_if(run.cases.begin(), run.cases.end(), is_to_choose));
  if (count == 0) return;
  const SearchLimits limits = limits_of(plan, options, run);
  const Seconds time = time_of(plan, options, count);
  const bool takes_kept = plan.text_or("trials", "kept") == "kept";
  const std::filesystem::path& cache = context.cache_directory;
  const auto fingerprint = run.record.host.value("fingerprint", std::string());
  events.begun(count, time);
  std::size_t index = 0;
  for (PlannedCase& planned : run.cases) {
    if (!is_to_choose(planned)) continue;
    const EngineSearch search{planned.record, index++, count};
    const Json& start = planned.record.requested;
    const SearchSetup setup{start, open_settings(plan, start, run.expansion.capabilities), limits, time};
    const std::string key = key_of(planned, setup, run.record.host);
    std::optional<EngineChoice> choice;
    if (takes_kept) choice = kept_engine(cache, fingerprint, key);
    if (choice && !can_be_taken(*choice, planned, setup, run)) choice.reset();
    const bool was_kept = choice.has_value();
    if (!choice) {
      events.started(search);
      choice = search_engine(context, store, run, options, setup, events.trials);
      choice->start = start_name(run.expansion.capabilities);
      choice->objective = limits.objective == Objective::kMemory ? "memory" : "latency";
      choice->what = what_of(start);
      choice->tried_at = format_utc(context.clock.wall_s());
      choice->trial_time_s = time.count();
      if (is_worth_keeping(choice->end)) keep_engine(cache, fingerprint, key, *choice, context.log);
    }
    events.done(search, *choice, was_kept);
    take(*choice, planned, run);
  }
}

}  // namespace transformeter
