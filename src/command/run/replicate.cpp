// The sequence of verbs, and what is gathered from each answer.
#include "run/replicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/disturbed_samples.h"
#include "metrics/output_comparison.h"
#include "run/identity.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/session.h"
#include "schema/metric_names.h"
#include "schema/settings.h"
#include "stats/stopping_rule.h"

namespace transformeter {
namespace {

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

}  // namespace

BatchSizes batch_sizes_of(const std::vector<PlannedCase>& cases, const PlannedCase& planned) {
  BatchSizes sizes{planned.asked.batch_size, planned.asked.batch_size};
  for (const PlannedCase& other : cases) {
    if (text_key(other.workload) != text_key(planned.workload)) continue;
    sizes.smallest = std::min(sizes.smallest, other.asked.batch_size);
    sizes.largest = std::max(sizes.largest, other.asked.batch_size);
  }
  return sizes;
}

// The verbs, in a session of its own.
class Replicate::Visits {
 public:
  Visits(Replicate& owner, const Start& start)
      : context_(owner.context_),
        requested_(owner.planned_.record.requested),
        asked_(owner.planned_.asked),
        replicates_(owner.planned_.record.replicates),
        workload_(owner.planned_.workload),
        options_(owner.options_),
        cuts_(owner.cuts_),
        outcome_(owner.outcome_),
        slices_done_(owner.slices_done_),
        start_(start),
        session_(owner.context_, session_options(owner.options_, start.launch, start.memory_limit)) {}

  bool begin(const SliceOptions& slice, const OnSamples& on_samples) {
    return settled(prepare() && warm() && measure(slice, on_samples) && (is_evaluated_last() || evaluate()));
  }

  bool measure_again(const SliceOptions& slice, const OnSamples& on_samples) {
    is_again_ = true;
    return settled(warm() && measure(slice, on_samples));
  }

  void end(Comparing comparing) {
    is_again_ = false;
    const bool is_left = is_evaluated_last() && comparing == Comparing::kYes;
    settled((!is_left || evaluate()) && session_.teardown());
  }

 private:
  bool is_evaluated_last() const { return (asked_.is_train() || options_.is_compared_last) && options_.slices > 1; }

  // The fault, once there is one, and what is wrong with what came before it.
  bool settled(bool is_well) {
    ReplicateRecord& record = outcome_.record;
    if (session_.fault()) {
      record.status = session_.fault()->status;
      record.status_reason = session_.fault()->reason;
    }
    for (const Series& series : record.series) {
      if (record.status != Status::kOk || columns_fit(series)) continue;
      record.status = Status::kFailed;
      record.status_reason = fmt::format("the worker's series '{}' has columns of different lengths", series.name);
    }
    return is_well && record.status == Status::kOk;
  }

  // False at the first fault, as those below.
  bool prepare() {
    if (!session_.hello() || !session_.describe()) return false;
    const PrepareRequest request = prepare_request(requested_, session_, start_.memory_limit);
    const auto prepared = session_.prepare(request);
    if (!prepared) return false;
    gather(prepared->effective, prepared->series);
    name_as_asked(request.settings);
    outcome_.effective["workload"] = workload_;
    return true;
  }

  // A worker knows a model or a data set of the hub by its folder; results name it as it was asked for.
  void name_as_asked(const Json& sent) {
    Json& model = outcome_.effective["model"];
    if (model == sent.at("model")) model = asked_.model;
    const auto data = outcome_.effective.find("data");
    if (data == outcome_.effective.end() || sent.value("data", std::string()) == asked_.data) return;
    (data->is_object() ? (*data)["name"] : *data) = asked_.data;
  }

  bool warm() {
    slice_begin_ = sample_count();
    const auto warmed = session_.warm({asked_.warmup});
    if (!warmed) return false;
    if (slices_done_ == 0) {
      warmed_ = *warmed;
      first_measuring_ = context_.clock.now();
    }
    slice_offset_s_ = Seconds(context_.clock.now() - first_measuring_).count();
    gather(warmed->effective, warmed->series);
    return true;
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
    return std::any_of(replicates_.begin(), replicates_.end(), [this](const ReplicateRecord& done) {
      return done.status == Status::kOk && done.index != outcome_.record.index;
    });
  }

  bool measure(const SliceOptions& slice, const OnSamples& on_samples) {
    const FullCycle cycle{full_examples(warmed_), warmed_.cycle_batches, Seconds(warmed_.cycle_forecast_s)};
    if (slices_done_ == 0) cycle_examples_ = cut(cycle, slice.whole);
    const std::int64_t examples = cycle_examples_.value_or(cycle.examples);
    const MeasureRequest request = measure_request(slice, cycle, examples);
    const auto start = context_.clock.now();
    const auto measured = session_.measure(request, [&](const std::vector<Series>& block) {
      gather(Json::object(), block);
      if (on_samples) on_samples(outcome_.record.series);
    });
    outcome_.measured += context_.clock.now() - start;
    if (!measured) return false;
    gather(measured->effective, measured->series);
    const bool is_cycle = asked_.samples_batches() && request.cycle_batches.value_or(warmed_.cycle_batches) > 1;
    flag_disturbed(outcome_.record.series, slice_begin_, is_cycle);
    if (options_.slices > 1) tell_slice(slice, start);
    Json& effective = outcome_.effective;
    effective["stop_reason"] = measured->stop_reason;
    effective["slices"] = ++slices_done_;
    effective["cycle_batches"] = request.cycle_batches.value_or(warmed_.cycle_batches);
    effective["cycle_batches_full"] = warmed_.cycle_batches;
    effective["cycle_examples"] = examples;
    effective["cycle_examples_full"] = cycle.examples;
    outcome_.workload_key = workload_key(workload_, request.cycle_examples);
    outcome_.key = case_key(outcome_.workload_key, requested_, effective, start_.launch.environment);
    return true;
  }

  MeasureRequest measure_request(const SliceOptions& slice, const FullCycle& cycle, std::int64_t examples) const {
    MeasureRequest request;
    request.slice = slices_done_;
    request.slices = options_.slices;
    request.cycle_examples = cycle_examples_;
    if (cycle_examples_) request.cycle_batches = (examples + batch_size() - 1) / batch_size();
    request.exactly = samples_of_slice(request.cycle_batches.value_or(cycle.batches));
    // Of less than a cycle there would be no figure.
    if (request.exactly && asked_.samples_batches()) {
      request.exactly = std::max(*request.exactly, request.cycle_batches.value_or(cycle.batches));
    }
    request.limit_s = (options_.slices > 1 ? slice.limit : limit_for(slice, cycle, examples)).count();
    request.limit_is_hard = slice.limit_is_hard;
    return request;
  }

  std::optional<std::int64_t> samples_of_slice(std::int64_t cycle_batches) const {
    if (asked_.cycles) return share_of_slice(*asked_.cycles) * (asked_.samples_batches() ? cycle_batches : 1);
    return asked_.samples ? std::optional(share_of_slice(*asked_.samples)) : std::nullopt;
  }

  // A fixed number is shared out over the slices, none of which is empty.
  std::int64_t share_of_slice(std::int64_t count) const {
    const std::int64_t place = slices_done_ % options_.slices;
    return std::max<std::int64_t>(1, count * (place + 1) / options_.slices - count * place / options_.slices);
  }

  void tell_slice(const SliceOptions& slice, Clock::TimePoint start) {
    gather(Json::object(), {scalar_series("slice_first_sample", static_cast<double>(slice_begin_)),
                            scalar_series("slice_start", Seconds(start - options_.run_started).count()),
                            scalar_series("slice_round", static_cast<double>(slice.round))});
  }

  std::size_t sample_count() const {
    const Series* latency = find_series(outcome_.record.series, "latency");
    return latency == nullptr ? 0 : latency->value.size();
  }

  std::int64_t batch_size() const { return asked_.batch_size; }

  std::int64_t full_examples(const Warmed& warmed) const {
    const auto data = outcome_.effective.find("data");
    if (warmed.cycle_batches > 1 && data != outcome_.effective.end() && data->is_object()) {
      const auto examples = data->find("examples");
      if (examples != data->end() && examples->is_number_integer()) return examples->get<std::int64_t>();
    }
    return warmed.cycle_batches * batch_size();
  }

  // Each slice holds a cycle, and there is one more to warm up. Where the user counts cycles, they are of all texts.
  std::optional<std::int64_t> cut(const FullCycle& cycle, Seconds whole) {
    if (asked_.cycles) return std::nullopt;
    const auto cycles = std::max(static_cast<std::int64_t>(kFewestCycles), options_.slices);
    if (const auto samples = asked_.samples; samples && asked_.samples_batches()) {
      return cut_to_batches(cycle, *samples / cycles, options_.batch_sizes);
    }
    return cuts_.decide(text_key(workload_), cycle, {whole, cycles + 1}, fewest_examples(options_.batch_sizes));
  }

  // What an interval needs; a tenth more, because a forecast is off by some percent.
  static Seconds limit_for(const SliceOptions& window, const FullCycle& cycle, std::int64_t examples) {
    if (cycle.batches <= 1) return window.limit;
    constexpr double kCycles = 1.1 * static_cast<double>(kFewestCycles);
    const Seconds wanted =
        cycle.forecast * (kCycles * static_cast<double>(examples) / static_cast<double>(cycle.examples));
    const bool is_more = std::isfinite(wanted.count()) && wanted > window.limit;
    return is_more ? std::min(wanted, window.longest) : window.limit;
  }

  // What a process or its cycle has is taken from the first slice, but for peaks of memory; starts are those of one
  // clock for all slices.
  void gather(const Json& effective, std::vector<Series> block) {
    if (effective.is_object()) outcome_.effective.update(effective);
    std::vector<Series>& all = outcome_.record.series;
    for (Series& series : block) {
      if (is_again_ && scope_of(series.name) == SeriesScope::kProcess) {
        raise_peak(series);
        continue;
      }
      if (is_again_) {
        for (double& start : series.start_s) start += slice_offset_s_;
      }
      const auto same = [&](const Series& old) { return old.name == series.name && old.rank == series.rank; };
      const auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end()) {
        all.push_back(std::move(series));
      } else {
        found->append(series);
      }
    }
  }

  // Of a process's memory the largest of all slices counts.
  void raise_peak(const Series& again) {
    if (!again.name.starts_with("peak_") || again.value.size() != 1) return;
    for (Series& series : outcome_.record.series) {
      if (series.name == again.name && series.rank == again.rank && series.value.size() == 1) {
        series.value[0] = std::max(series.value[0], again.value[0]);
      }
    }
  }

  const Context& context_;
  const Json& requested_;
  const Case& asked_;
  const std::vector<ReplicateRecord>& replicates_;
  const Json& workload_;
  const ReplicateOptions& options_;
  CycleCuts& cuts_;
  ReplicateOutcome& outcome_;
  std::int64_t& slices_done_;
  Start start_;
  Session session_;
  Warmed warmed_;
  std::optional<std::int64_t> cycle_examples_;  // of a cut cycle
  bool is_again_ = false;
  Clock::TimePoint first_measuring_;
  double slice_offset_s_ = 0;    // from there to the present slice
  std::size_t slice_begin_ = 0;  // place of the present slice's first sample
};

Replicate::Replicate(const Context& context, const PlannedCase& planned, int index, ReplicateOptions options,
                     CycleCuts& cuts)
    : context_(context), planned_(planned), options_(std::move(options)), cuts_(cuts) {
  outcome_.record.index = index;
  outcome_.record.started_at = format_utc(context.clock.wall_s());
}

Replicate::~Replicate() = default;

// False where the answer is known without a worker.
bool Replicate::start() {
  const auto answer = [&](Status status, const Error& error) {
    outcome_.record.status = status;
    outcome_.record.status_reason = error.what();
    return false;
  };
  Start start;
  try {
    start.memory_limit = worker_memory_limit(planned_.asked);
  } catch (const Error& error) {
    return answer(Status::kOutOfMemory, error);
  }
  try {
    start.launch = launch_of(planned_.asked, options_.launch_host);
    outcome_.launch = to_json(start.launch);
    outcome_.launch["worker"] = options_.worker.string();
    if (planned_.worker) outcome_.launch["worker_build"] = planned_.worker->build;
    visits_ = std::make_unique<Visits>(*this, start);
    return true;
  } catch (const Error& error) {
    // A stored plan may ask for what this host no longer has, and a container may forbid a placement.
    if (error.kind() != ErrorKind::kUnsupported) throw;
    return answer(Status::kUnsupported, error);
  }
}

bool Replicate::begin(const SliceOptions& slice, const OnSamples& on_samples) {
  return start() && visits_->begin(slice, on_samples);
}

bool Replicate::measure_again(const SliceOptions& slice, const OnSamples& on_samples) {
  return visits_->measure_again(slice, on_samples);
}

void Replicate::end(Comparing comparing) {
  if (visits_ && outcome_.record.status == Status::kOk) visits_->end(comparing);
  visits_.reset();
}

}  // namespace transformeter
