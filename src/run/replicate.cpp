// The sequence of verbs, and what is gathered from each answer.
#include "run/replicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/output_comparison.h"
#include "run/identity.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/session.h"
#include "run/workload_settings.h"

namespace transformeter {
namespace {

std::optional<std::int64_t> number_of(const Json& requested, const char* name) {
  const auto found = requested.find(name);
  if (found == requested.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

SessionOptions session_options(const ReplicateOptions& options, const Launch& launch,
                               std::optional<std::int64_t> memory_limit) {
  SessionOptions session;
  session.worker = options.worker;
  session.launch = launch;
  session.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options.worker_timeout);
  session.memory_limit_bytes = memory_limit;
  session.interrupt = options.interrupt;
  return session;
}

bool columns_fit(const Series& series) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == series.value.size(); };
  return fits(series.start_s.size()) && fits(series.index.size()) && fits(series.examples.size()) &&
         fits(series.useful_tokens.size()) && fits(series.processed_tokens.size()) && fits(series.flags.size());
}

// What is settled before the worker starts.
struct Start {
  Launch launch;
  std::optional<std::int64_t> memory_limit;
};

class Replicate {
 public:
  Replicate(const Context& context, const PlannedCase& planned, const ReplicateOptions& options, CycleCuts& cuts,
            const OnSamples& on_samples, const Start& start, ReplicateOutcome& outcome)
      : context_(context),
        requested_(planned.record.requested),
        replicates_(planned.record.replicates),
        workload_(planned.workload),
        options_(options),
        cuts_(cuts),
        on_samples_(on_samples),
        outcome_(outcome),
        start_(start),
        session_(context, session_options(options, start.launch, start.memory_limit)) {}

  void run() {
    if (!go_through() && session_.fault()) {
      outcome_.record.status = session_.fault()->status;
      outcome_.record.status_reason = session_.fault()->reason;
    }
    for (const Series& series : outcome_.record.series) {
      if (outcome_.record.status != Status::kOk || columns_fit(series)) continue;
      outcome_.record.status = Status::kFailed;
      outcome_.record.status_reason =
          fmt::format("the worker's series '{}' has columns of different lengths", series.name);
    }
  }

 private:
  // False at the first fault.
  bool go_through() {
    if (!session_.hello() || !session_.describe()) return false;
    const PrepareRequest request = prepare_request(requested_, session_, start_.memory_limit);
    const auto prepared = session_.prepare(request);
    if (!prepared) return false;
    gather(prepared->effective, prepared->series);
    // A worker knows a model of the hub by its folder; results name it as it was asked for.
    Json& model = outcome_.effective["model"];
    if (model == request.settings.at("model")) model = requested_.at("model");
    outcome_.effective["workload"] = workload_;

    const auto warmed = session_.warm({number_of(requested_, "warmup")});
    if (!warmed) return false;
    gather(warmed->effective, warmed->series);
    return measure(*warmed) && evaluate() && session_.teardown();
  }

  bool evaluate() {
    EvaluateRequest request;
    request.score = !was_scored();
    if (request.score && options_.reference != nullptr) {
      request.outputs.emplace();
      request.outputs->inputs = options_.reference->inputs;
    }
    const auto start = context_.clock.now();
    const auto evaluated = session_.evaluate(request);
    outcome_.evaluated = context_.clock.now() - start;
    if (!evaluated) return false;
    gather(Json::object(), evaluated->series);
    if (request.score) outcome_.effective["reference"] = options_.about_reference;
    if (request.outputs) compare(evaluated->outputs);
    return true;
  }

  void compare(const std::optional<Outputs>& outputs) {
    const OutputComparison comparison = outputs ? compare_outputs(*options_.reference, *outputs)
                                                : OutputComparison{{}, "the worker returned no outputs"};
    gather(Json::object(), comparison.series);
    if (!comparison.why_none.empty()) outcome_.effective["reference"]["failed"] = comparison.why_none;
  }

  // Every replicate answers the same questions with the same weights: one finished evaluation is enough.
  bool was_scored() const {
    return std::any_of(replicates_.begin(), replicates_.end(),
                       [](const ReplicateRecord& done) { return done.status == Status::kOk; });
  }

  bool measure(const Warmed& warmed) {
    MeasureRequest request;
    request.exactly = number_of(requested_, "samples");
    const FullCycle cycle{full_examples(warmed), warmed.cycle_batches, Seconds(warmed.cycle_forecast_s)};
    request.cycle_examples = cut(cycle);
    const std::int64_t examples = request.cycle_examples.value_or(cycle.examples);
    if (request.cycle_examples) request.cycle_batches = (examples + batch_size() - 1) / batch_size();
    request.limit_s = limit_for(cycle, examples).count();
    request.limit_is_hard = options_.limit_is_hard;
    const auto start = context_.clock.now();
    const auto measured = session_.measure(request, [&](const std::vector<Series>& block) {
      gather(Json::object(), block);
      if (on_samples_) on_samples_(outcome_.record.series);
    });
    outcome_.measured = context_.clock.now() - start;
    if (!measured) return false;
    gather(measured->effective, measured->series);
    outcome_.effective["stop_reason"] = measured->stop_reason;
    outcome_.effective["cycle_batches"] = request.cycle_batches.value_or(warmed.cycle_batches);
    outcome_.effective["cycle_batches_full"] = warmed.cycle_batches;
    outcome_.effective["cycle_examples"] = examples;
    outcome_.effective["cycle_examples_full"] = cycle.examples;
    outcome_.workload_key = workload_key(workload_, request.cycle_examples);
    outcome_.key = case_key(outcome_.workload_key, requested_, outcome_.effective, start_.launch.environment);
    return true;
  }

  std::int64_t batch_size() const { return batch_size_of(requested_); }

  std::int64_t full_examples(const Warmed& warmed) const {
    const auto data = outcome_.effective.find("data");
    if (warmed.cycle_batches > 1 && data != outcome_.effective.end() && data->is_object()) {
      const auto examples = data->find("examples");
      if (examples != data->end() && examples->is_number_integer()) return examples->get<std::int64_t>();
    }
    return warmed.cycle_batches * batch_size();
  }

  // A fixed number of samples must hold three cycles, or there would be no figure over the data set. One batch is
  // whole however few the samples are, and its workload stays that of any other number of them.
  std::optional<std::int64_t> cut(const FullCycle& cycle) {
    if (const auto samples = number_of(requested_, "samples")) {
      if (cycle.batches <= 1 || *samples >= 3 * cycle.batches) return std::nullopt;
      return std::max<std::int64_t>(1, *samples / 3) * batch_size();
    }
    return cuts_.decide(text_key(workload_), cycle, options_.limit, options_.fewest_examples);
  }

  // Three cycles are the least that has an interval; a tenth more, because a forecast is off by some percent.
  Seconds limit_for(const FullCycle& cycle, std::int64_t examples) const {
    if (cycle.batches <= 1) return options_.limit;
    const Seconds wanted = cycle.forecast * (3.3 * static_cast<double>(examples) / static_cast<double>(cycle.examples));
    const bool is_more = std::isfinite(wanted.count()) && wanted > options_.limit;
    return is_more ? std::min(wanted, options_.longest) : options_.limit;
  }

  void gather(const Json& effective, const std::vector<Series>& block) {
    if (effective.is_object()) outcome_.effective.update(effective);
    std::vector<Series>& all = outcome_.record.series;
    for (const Series& series : block) {
      const auto same = [&](const Series& old) { return old.name == series.name && old.rank == series.rank; };
      const auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end()) {
        all.push_back(series);
      } else {
        found->append(series);
      }
    }
  }

  const Context& context_;
  const Json& requested_;
  const std::vector<ReplicateRecord>& replicates_;
  const Json& workload_;
  const ReplicateOptions& options_;
  CycleCuts& cuts_;
  const OnSamples& on_samples_;
  ReplicateOutcome& outcome_;
  const Start& start_;
  Session session_;
};

}  // namespace

ReplicateOutcome run_replicate(const Context& context, const PlannedCase& planned, int index,
                               const ReplicateOptions& options, CycleCuts& cuts, const OnSamples& on_samples) {
  ReplicateOutcome outcome;
  outcome.record.index = index;
  outcome.record.started_at = format_utc(context.clock.wall_s());
  const auto answer = [&](Status status, const Error& error) {
    outcome.record.status = status;
    outcome.record.status_reason = error.what();
    return outcome;
  };
  Start start;
  try {
    start.memory_limit = worker_memory_limit(planned.record.requested);
  } catch (const Error& error) {
    return answer(Status::kOutOfMemory, error);
  }
  try {
    start.launch = launch_of(planned.record.requested, options.launch_host);
    outcome.launch = to_json(start.launch);
    outcome.launch["worker"] = options.worker.string();
    Replicate(context, planned, options, cuts, on_samples, start, outcome).run();
  } catch (const Error& error) {
    // A stored plan may ask for what this host no longer has, and a container may forbid a placement.
    if (error.kind() != ErrorKind::kUnsupported) throw;
    return answer(Status::kUnsupported, error);
  }
  return outcome;
}

}  // namespace transformeter
