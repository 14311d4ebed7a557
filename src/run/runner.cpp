// The loop over replicates and cases.
#include "run/runner.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "run/case_summaries.h"
#include "run/idle_power.h"
#include "run/implied.h"
#include "run/live_estimate.h"
#include "run/references.h"
#include "run/replicate.h"
#include "run/run_peaks.h"
#include "run/workload_settings.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

// A case that wants precision this badly after so many replicates will not get it.
constexpr std::size_t kMaxReplicates = 20;
// A case without an interval counts as wide as its value.
constexpr double kUnknownHalfWidth = 1;

bool holds(const CaseRecord& record, int replicate) {
  return std::any_of(record.replicates.begin(), record.replicates.end(),
                     [&](const ReplicateRecord& done) { return done.index == replicate; });
}

// Answers other than ok are the same each time: impossible combinations, and memory that does not suffice.
bool is_answered(const CaseRecord& record) {
  if (record.replicates.empty()) return record.status.has_value();
  return std::any_of(record.replicates.begin(), record.replicates.end(), [](const ReplicateRecord& replicate) {
    return is_answer(replicate.status) && replicate.status != Status::kOk;
  });
}

// A fault of one replicate counts even where another was ok.
void add_statuses(const CaseRecord& record, std::vector<Status>& statuses) {
  if (record.status) statuses.push_back(*record.status);
  for (const ReplicateRecord& replicate : record.replicates) {
    if (!is_answer(replicate.status)) statuses.push_back(replicate.status);
  }
}

std::size_t fault_count(const CaseRecord& record) {
  return static_cast<std::size_t>(
      std::count_if(record.replicates.begin(), record.replicates.end(),
                    [](const ReplicateRecord& replicate) { return !is_answer(replicate.status); }));
}

class Runner {
 public:
  Runner(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options, Progress& progress)
      : context_(context),
        store_(store),
        run_(run),
        options_(options),
        progress_(progress),
        budget_(context.clock, options.budget) {
    if (options_.compares && run_.gives_outputs) {
      references_.emplace(context, ReferenceOptions{run_.worker, run_.record.host.value("worker", Json()),
                                                    options_.worker_timeout, options_.interrupt});
    }
    for (const PlannedCase& planned : run_.cases) {
      const int again = options_.retry_faults ? static_cast<int>(fault_count(planned.record)) : 0;
      wanted_.push_back(run_.record.replicates_planned + again);
      if (!planned.workload.empty()) {
        cuts_.remember(text_key(planned.workload), planned.record.effective);
      }
    }
  }

  RunOutcome run() {
    progress_.run_started(run_.record, longest_measuring());
    idle_power_ = IdlePower::measure(due_devices(), context_.clock);
    const std::vector<std::size_t> order = cheapest_first(run_.cases);
    bool goes_on = true;
    const int most = wanted_.empty() ? 0 : *std::max_element(wanted_.begin(), wanted_.end());
    for (int replicate = 0; goes_on && replicate < most; ++replicate) {
      for (const std::size_t index : order) {
        goes_on = !is_due(index, replicate) || measure(run_.cases[index], replicate, planned_left());
        if (!goes_on) break;
      }
    }
    while (goes_on && spend_rest()) {
    }
    RunOutcome outcome = outcome_now();
    progress_.run_done(outcome);
    return outcome;
  }

 private:
  bool is_due(std::size_t index, int replicate) const {
    const CaseRecord& record = run_.cases[index].record;
    return replicate < wanted_[index] && !is_answered(record) && !holds(record, replicate);
  }

  std::size_t due_count(std::size_t index) const {
    std::size_t count = 0;
    for (int replicate = 0; replicate < wanted_[index]; ++replicate) count += is_due(index, replicate) ? 1 : 0;
    return count;
  }

  std::size_t planned_left() const {
    std::size_t count = 0;
    for (std::size_t index = 0; index < run_.cases.size(); ++index) count += due_count(index);
    return count;
  }

  // What is left of a budget is spent on further replicates. A fixed number of samples without a hard limit has no
  // bound.
  std::optional<MeasuringTime> longest_measuring() const {
    if (budget_.is_limited() && options_.relative_half_width) return MeasuringTime{*budget_.left(), true};
    const MeasuringTime longest = budget_.longest(planned_left());
    const bool is_counted = std::any_of(run_.cases.begin(), run_.cases.end(), [](const PlannedCase& planned) {
      return planned.record.requested.value("samples", Json()).is_number();
    });
    return is_counted && !longest.is_hard ? std::nullopt : std::optional(longest);
  }

  std::set<std::string> due_devices() const {
    std::set<std::string> devices;
    for (std::size_t index = 0; index < run_.cases.size(); ++index) {
      if (due_count(index) > 0) devices.insert(device_of(run_.cases[index]));
    }
    return devices;
  }

  static std::string device_of(const PlannedCase& planned) {
    const Json device = planned.record.requested.value("device", Json());
    return device.is_string() ? device.get<std::string>() : "";
  }

  bool is_interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }

  ProgressPoint point(std::size_t planned, int replicate) const {
    const std::size_t total = std::max(planned_total_, done_ + planned);
    return {done_, total, replicate, budget_.left()};
  }

  // False when the run must stop: no time left, or an interrupt.
  bool measure(PlannedCase& planned, int replicate, std::size_t planned_count) {
    if (is_interrupted()) return false;
    if (!budget_.next(planned_count, time_for_references())) return false;
    planned_total_ = std::max(planned_total_, done_ + planned_count);
    const Reference reference = reference_of(planned, point(planned_count, replicate));
    if (reference.interrupted) {
      was_interrupted_ = true;
      return false;
    }
    const auto limit = budget_.next(planned_count, time_for_references());
    if (!limit) return false;
    progress_.case_started(planned.record, point(planned_count, replicate));
    const auto start = context_.clock.now();
    ReplicateOutcome outcome = one_replicate(planned, replicate, *limit, reference);
    if (outcome.record.status == Status::kInterrupted) {
      was_interrupted_ = true;
      return false;
    }
    if (outcome.measured.count() > 0) budget_.spent(context_.clock.now() - start, outcome.measured + outcome.evaluated);
    largest_evaluation_ = std::max(largest_evaluation_, Seconds(outcome.evaluated));
    keep(planned, std::move(outcome));
    ++done_;
    progress_.case_done(planned.record, point(planned_count - 1, replicate));
    if (planned.record.replicates.back().status == Status::kOutOfMemory) imply_out_of_memory(planned.record);
    return true;
  }

  // The first finished replicate is compared, as it is scored.
  static bool is_compared(const CaseRecord& record) {
    return std::any_of(record.replicates.begin(), record.replicates.end(),
                       [](const ReplicateRecord& done) { return done.status == Status::kOk; });
  }

  bool needs_reference(const PlannedCase& planned) const { return references_ && !is_compared(planned.record); }

  // What the case's outputs are compared with, made now where it is not there: no other worker runs.
  Reference reference_of(const PlannedCase& planned, const ProgressPoint& at) {
    if (!needs_reference(planned)) return {};
    return references_->of(planned, [&] { progress_.reference_started(planned.record, at); });
  }

  // Of the references that cases still to come need, and of comparing these cases' outputs.
  Seconds time_for_references() {
    if (!references_ || !budget_.is_limited()) return Seconds(0);
    std::vector<const PlannedCase*> waiting;
    for (std::size_t index = 0; index < run_.cases.size(); ++index) {
      const PlannedCase& planned = run_.cases[index];
      if (due_count(index) > 0 && needs_reference(planned)) waiting.push_back(&planned);
    }
    return references_->time_to_make(waiting) + largest_evaluation_ * static_cast<double>(waiting.size());
  }

  Json about(const Reference& reference) const {
    if (!options_.compares) return {{"absent", "disabled (--reference off)"}};
    if (!run_.gives_outputs) return {{"absent", "the worker does not return outputs to compare"}};
    Json json = {{"key", reference.key}};
    if (!reference.computed) json["failed"] = reference.failure;
    if (reference.computed) json["controls"] = to_json(reference.computed->controls);
    return json;
  }

  ReplicateOutcome one_replicate(const PlannedCase& planned, int replicate, const MeasuringLimit& limit,
                                 const Reference& reference) {
    ReplicateOptions options;
    options.worker = run_.worker;
    options.launch_host = run_.launch_host;
    options.worker_timeout = options_.worker_timeout;
    options.limit = limit.limit;
    options.limit_is_hard = limit.is_hard;
    options.longest = limit.longest;
    options.fewest_examples = fewest_examples(planned);
    options.reference = reference.computed ? &reference.computed->outputs : nullptr;
    options.about_reference = about(reference);
    options.interrupt = options_.interrupt;
    LiveEstimate estimate(is_batch(planned.record.requested) ? UnitKind::kByIndex : UnitKind::kAlike);
    ReplicateOutcome outcome =
        run_replicate(context_, planned, replicate, options, cuts_,
                      [&](const std::vector<Series>& series) { progress_.samples_taken(estimate.update(series)); });
    idle_power_.add_to(device_of(planned), outcome.record.series);
    return outcome;
  }

  // Two full batches of the largest batch size that measures the same texts: fewer do not stand for their lengths.
  std::int64_t fewest_examples(const PlannedCase& planned) const {
    constexpr std::int64_t kFewest = 16;
    std::int64_t largest = 1;
    for (const PlannedCase& other : run_.cases) {
      if (text_key(other.workload) != text_key(planned.workload)) continue;
      largest = std::max(largest, batch_size_of(other.record.requested));
    }
    return std::max(kFewest, 2 * largest);
  }

  void keep(PlannedCase& planned, ReplicateOutcome outcome) {
    CaseRecord& record = planned.record;
    // A failed replicate may have got no further than prepare: what a good one read back stays.
    const bool tells_all = outcome.record.status == Status::kOk || record.effective.empty();
    if (!outcome.effective.empty() && tells_all) {
      const Json reference = record.effective.value("reference", Json());  // of the replicate that was compared
      record.effective = std::move(outcome.effective);
      if (!reference.is_null()) record.effective.emplace("reference", reference);
    }
    if (!record.effective.empty()) record.effective["peaks"] = peaks_of_case(run_.record, record.requested);
    if (!outcome.launch.empty()) record.launch = std::move(outcome.launch);
    if (!outcome.key.empty()) record.key = std::move(outcome.key);
    if (!outcome.workload_key.empty()) record.workload_key = std::move(outcome.workload_key);
    store_.add_replicate(run_.record.id, record, outcome.record);
    keep_summary(store_, run_.record.id, record.id);  // a resumed run has earlier replicates there, not in memory
    if (!options_.relative_half_width) outcome.record.series.clear();  // the store has it
    record.replicates.push_back(std::move(outcome.record));
    record.status = case_status(record.replicates);
    record.status_reason = record.replicates.back().status_reason;
  }

  void imply_out_of_memory(const CaseRecord& cause) {
    for (PlannedCase& planned : run_.cases) {
      CaseRecord& record = planned.record;
      if (record.status || !needs_more_memory(record.requested, cause.requested)) continue;
      ReplicateOutcome implied;
      implied.record.started_at = format_utc(context_.clock.wall_s());
      implied.record.status = Status::kImpliedOutOfMemory;
      implied.record.status_reason = implied_reason(cause);
      keep(planned, std::move(implied));
      ++done_;
      progress_.case_done(record, point(planned_left(), 0));
    }
  }

  // One further replicate where the interval is widest. False when none is worth it or there is no time.
  bool spend_rest() {
    if (!budget_.is_limited() || !options_.relative_half_width || is_interrupted()) return false;
    PlannedCase* widest = nullptr;
    std::pair<double, int> widest_rank{-1,
                                       0};  // half-width, then fewest replicates: an unknown width must not win twice
    for (PlannedCase& planned : run_.cases) {
      if (planned.record.status != Status::kOk || planned.record.replicates.size() >= kMaxReplicates) continue;
      const double width = options_.relative_half_width(planned.record).value_or(kUnknownHalfWidth);
      const std::pair<double, int> rank{width, -static_cast<int>(planned.record.replicates.size())};
      if (rank > widest_rank) {
        widest_rank = rank;
        widest = &planned;
      }
    }
    if (widest == nullptr) return false;
    return measure(*widest, widest->record.replicates.back().index + 1, 1);
  }

  RunOutcome outcome_now() {
    RunOutcome outcome;
    outcome.run_id = run_.record.id;
    outcome.interrupted = was_interrupted_ || (is_interrupted() && planned_left() > 0);
    run_.record.cases.clear();
    for (std::size_t index = 0; index < run_.cases.size(); ++index) {
      add_statuses(run_.cases[index].record, outcome.statuses);
      outcome.pending_replicate_count += due_count(index);
      outcome.replicate_count += run_.cases[index].record.replicates.size() + due_count(index);
      run_.record.cases.push_back(run_.cases[index].record);
    }
    return outcome;
  }

  const Context& context_;
  Store& store_;
  PreparedRun& run_;
  const RunnerOptions& options_;
  Progress& progress_;
  Budget budget_;
  CycleCuts cuts_;
  std::optional<References> references_;
  Seconds largest_evaluation_{0};
  IdlePower idle_power_;
  std::vector<int> wanted_;  // replicates of each case
  std::size_t done_ = 0;
  std::size_t planned_total_ = 0;
  bool was_interrupted_ = false;
};

}  // namespace

RunOutcome execute(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options,
                   Progress& progress) {
  return Runner(context, store, run, options, progress).run();
}

}  // namespace transformeter
