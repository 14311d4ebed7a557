// The loop over replicates and cases.
#include "run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "run/case_keeper.h"
#include "run/case_references.h"
#include "run/due_replicates.h"
#include "run/further_processes.h"
#include "run/further_slices.h"
#include "run/idle_power.h"
#include "run/implied.h"
#include "run/live_estimate.h"
#include "run/race_rule.h"
#include "run/replicate.h"
#include "run/worker_room.h"
#include "schema/missing_replicates.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Of measuring a case, where neither the user nor a budget says.
constexpr Seconds kUsualLimit{30};

// A fault of one replicate counts even where another was ok.
void add_statuses(const CaseRecord& record, std::vector<Status>& statuses) {
  if (record.status) statuses.push_back(*record.status);
  for (const ReplicateRecord& replicate : record.replicates) {
    if (!is_answer(replicate.status)) statuses.push_back(replicate.status);
  }
}

// A replicate whose worker is alive. Between slices it is parked.
struct Parked {
  PlannedCase* planned;
  std::unique_ptr<Replicate> replicate;
  LiveEstimate estimate;
  CaseSoFar so_far;
  std::vector<ReplicateRecord> earlier;           // of the case, with their series
  bool needs_comparing = true;                    // with the reference, where that comes last
  std::optional<double> independent_slices = {};  // of the replicate, once all have ended
};

class Runner {
 public:
  Runner(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options, Progress& progress)
      : context_(context),
        run_(run),
        options_(options),
        progress_(progress),
        budget_(context.clock, options.budget),
        references_(context, run, options),
        keeper_(store, run.record),
        due_(run.cases, run.record.replicates_planned, options.retry_faults) {
    for (const PlannedCase& planned : run_.cases) {
      if (!planned.workload.empty()) {
        cuts_.remember(text_key(planned.workload), planned.record.effective);
      }
      // Rounds of another execution are others: their slices form no pairs with those of this one.
      if (!planned.record.replicates.empty()) round_ = 2 * static_cast<std::int64_t>(context.clock.wall_s());
    }
  }

  RunOutcome run() {
    started_ = context_.clock.now();
    progress_.run_started(run_.record, longest_measuring());
    idle_power_ = IdlePower::measure(due_devices(), context_.clock);
    baselines_ = nearest_baselines(run_.cases, options_.baseline);
    planned_slices_ = slices_to_plan();
    std::vector<std::size_t> order = beside_baselines(cheapest_first(run_.cases), baselines_);
    bool goes_on = true;
    int replicate = 0;
    do {
      if (adds_processes()) replicate = 0;
      for (; goes_on && replicate < due_.most() && due_.count() > 0; ++replicate) {
        for (std::size_t place = 0; goes_on && place < order.size();) {
          goes_on = measure_together(order, place, replicate);
        }
        // Whoever starts first may fare better, process by process.
        if (adds_processes()) std::reverse(order.begin(), order.end());
      }
    } while (goes_on && add_processes());
    due_.forget_added();
    while (goes_on && options_.slices == 1 && !adds_processes() && spend_rest()) {
    }
    RunOutcome outcome = outcome_now();
    progress_.run_done(outcome);
    return outcome;
  }

 private:
  // Of the replicates to come, and of those that are parked.
  std::size_t slices_left() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < run_.cases.size(); ++i) {
      count += due_.count(i) * static_cast<std::size_t>(planned_slices_[i]);
    }
    for (const Parked& parked : parked_) count += slices_left(parked);
    return count;
  }
  std::size_t slices_left(const Parked& parked) const {
    const std::int64_t planned = planned_slices_[place_of(*parked.planned)];
    return static_cast<std::size_t>(std::max<std::int64_t>(0, planned - parked.replicate->slices_done()));
  }

  std::vector<std::int64_t> slices_to_plan() const {
    const bool forms_quads =
        !is_race() && options_.slices > 1 && !adds_processes() && run_.record.replicates_planned < 3;
    const std::vector<std::optional<std::size_t>> none;
    return slices_for_quads(run_.cases, forms_quads ? baselines_ : none, options_.slices);
  }
  // Of a replicate, without those that quads add.
  std::int64_t own_slices(const PlannedCase& planned) const { return planned_slices(planned.asked, options_.slices); }

  // What is left of a budget is spent on further replicates or slices. A fixed number of samples without a hard limit
  // has no bound.
  std::optional<MeasuringTime> longest_measuring() const {
    const bool uses_all = options_.spends_rest || adds_processes();
    if (budget_.is_limited() && uses_all) return MeasuringTime{*budget_.left(), true};
    const MeasuringTime longest = budget_.longest(due_.count());
    const bool is_counted = std::any_of(run_.cases.begin(), run_.cases.end(),
                                        [](const PlannedCase& planned) { return planned.asked.has_fixed_count(); });
    return is_counted && !longest.is_hard ? std::nullopt : std::optional(longest);
  }

  std::set<std::string> due_devices() const {
    std::set<std::string> devices;
    for (const PlannedCase* planned : due_.cases()) devices.insert(planned->asked.device);
    if (!adds_processes()) return devices;
    // Any case that has run may be asked for.
    for (const PlannedCase& planned : run_.cases) {
      if (!planned.record.replicates.empty()) devices.insert(planned.asked.device);
    }
    return devices;
  }

  bool is_race() const { return options_.after_slices == AfterSlices::kRace; }

  bool is_live() const { return options_.after_slices == AfterSlices::kDecide; }

  // Until what is asked is decided, in place of narrowing the intervals.
  bool adds_processes() const { return is_live() || options_.after_slices == AfterSlices::kChoose; }

  // The first half is for starting workers, the second for the race.
  bool is_race_half_over() const {
    return is_race() && parked_.size() > 1 && budget_.is_limited() && *budget_.left() < *options_.budget.total / 2;
  }

  bool is_interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }

  std::size_t place_of(const PlannedCase& planned) const {
    return static_cast<std::size_t>(&planned - run_.cases.data());
  }

  ProgressPoint point(std::size_t to_come, int replicate) const {
    return {done_, std::max(planned_total_, done_ + to_come), replicate, budget_.left(), options_.slices > 1};
  }

  // Which of the case's replicates a pass over all of them measures; nothing: none. Where processes are added each
  // case's next one, so that those with few and with many are measured side by side.
  std::optional<int> turn_of(std::size_t index, int pass) const {
    if (adds_processes()) return due_.next(index);
    return due_.is_due(index, pass) ? std::optional(pass) : std::nullopt;
  }

  // Begins the cases from `place` on whose workers fit into memory together, then visits them round by round, back and
  // forth. `place` is the first that was left. False when the run must stop: no time left, or an interrupt.
  bool measure_together(const std::vector<std::size_t>& order, std::size_t& place, int pass) {
    bool goes_on = options_.slices == 1 || make_references(order, place, pass);
    bool is_full = false;
    while (goes_on && !is_full && place < order.size()) {
      PlannedCase& planned = run_.cases[order[place]];
      if (const auto replicate = turn_of(order[place], pass)) {
        is_full = !parked_.empty() && (!group_fits(order[place], pass) || is_race_half_over());
        if (is_full) break;
        const Begun begun = begin(planned, *replicate);
        goes_on = begun != Begun::kStop;
        is_full = begun == Begun::kNoMemoryBesideOthers;
        if (is_full || !goes_on) break;
      }
      ++place;
    }
    // Begun one after the other, cases are too far apart for a pair: those of a live comparison form none, and a race
    // counts from where all live.
    round_ += is_live() ? 2 : 1;
    std::int64_t rounds = 1;
    for (const Parked& parked : parked_) rounds = std::max(rounds, planned_slices_[place_of(*parked.planned)]);
    for (std::int64_t round = 1; goes_on && !is_race() && round < rounds; ++round) goes_on = visit_all();
    if (pass + 1 >= run_.record.replicates_planned && !adds_processes()) {
      while (goes_on && (visit_quads() || visit_widest())) {
      }
    }
    round_ += round_ % 2;
    const std::vector<SlicesSoFar> all = slices_so_far();
    const std::vector<bool> won = winners_of(all);
    // Who did not win cannot be chosen, whatever its outputs.
    for (std::size_t i = 0; i < all.size(); ++i) parked_[i].needs_comparing = !is_race() || !all[i].baseline || won[i];
    count_independent_slices();
    while (!was_interrupted_ && !parked_.empty()) end(parked_.begin());
    parked_.clear();                                    // what the store has of their slices stays
    return goes_on && !was_interrupted_ && !is_race();  // those that are left would race without the baseline
  }

  // One more process of each case that may need it. False when there is none.
  bool add_processes() {
    if (!adds_processes() || is_interrupted()) return false;
    const std::vector<std::size_t> further = is_live()
                                                 ? undecided_pairs(run_.cases, baselines_, slices_, options_.is_decided)
                                                 : asked_for(run_.cases, options_.further_cases());
    due_.add(further);
    return !further.empty();
  }

  // Of the cases that may be begun together: none is made beside parked workers, which take its memory.
  bool make_references(const std::vector<std::size_t>& order, std::size_t place, int pass) {
    for (std::size_t count = 0; place < order.size() && count < kMostParked; ++place) {
      const auto replicate = turn_of(order[place], pass);
      if (!replicate) continue;
      ++count;
      if (is_interrupted()) return stopped_by_user();
      if (!budget_.next(due_.count(), time_for_references())) return true;  // what is begun next finds that out
      if (reference_of(run_.cases[order[place]], point(slices_left(), *replicate)).interrupted)
        return stopped_by_user();
    }
    return true;
  }

  bool stopped_by_user() {
    was_interrupted_ = true;
    return false;
  }

  // That `resume` would measure: it knows no races and live comparisons.
  bool lacks_slices(const Parked& parked) const {
    return !is_race() && !is_live() && parked.replicate->slices_done() < own_slices(*parked.planned);
  }

  bool is_alive(std::size_t index) const {
    return std::any_of(parked_.begin(), parked_.end(),
                       [&](const Parked& parked) { return place_of(*parked.planned) == index; });
  }

  // With what is compared with it: cut in two, a group would form no pairs. One that is larger than all is cut anyway.
  bool group_fits(std::size_t index, int pass) const {
    const std::size_t head = baselines_[index].value_or(index);
    std::size_t group = 0;  // of those that do not live yet, this one included
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      group += baselines_[i].value_or(i) == head && !is_alive(i) && turn_of(i, pass) ? 1 : 0;
    }
    const bool may_park = options_.slices > 1 && run_.cases[index].asked.device == "cpu";
    return may_park && room_.has(parked_.size(), group);
  }

  enum class Begun { kParked, kOver, kStop, kNoMemoryBesideOthers };

  // The length of the case's next slice; nothing when the time is used up.
  std::optional<SliceOptions> next_slice(const PlannedCase& planned, std::size_t slices, std::size_t starts,
                                         StartsNow starts_now) {
    const Seconds whole = options_.budget.case_limit.value_or(kUsualLimit);
    const Seconds longest = std::min(options_.slice, whole / static_cast<double>(planned_slices_[place_of(planned)]));
    const auto limit = budget_.next_slice(slices, {starts, starts_now}, longest, time_for_references());
    if (!limit) return std::nullopt;
    SliceOptions slice;
    slice.round = round_;
    slice.limit = *limit;
    slice.whole = budget_.is_limited() ? std::min(whole, *limit * static_cast<double>(own_slices(planned))) : whole;
    return slice;
  }

  // The limit of the next window or slice that starts a process.
  std::optional<SliceOptions> first_slice(const PlannedCase& planned, std::size_t planned_count) {
    if (options_.slices > 1) return next_slice(planned, slices_left(), planned_count, StartsNow::kYes);
    const auto limit = budget_.next(planned_count, time_for_references());
    if (!limit) return std::nullopt;
    return SliceOptions{round_, limit->limit, limit->is_hard, limit->longest, limit->limit};
  }

  Begun begin(PlannedCase& planned, int replicate, std::size_t further = 0) {
    if (is_interrupted()) {
      was_interrupted_ = options_.slices > 1;
      return Begun::kStop;
    }
    const std::size_t planned_count = due_.count() + further;
    const std::size_t to_come = slices_left() + further;
    if (!first_slice(planned, planned_count)) return Begun::kStop;
    planned_total_ = std::max(planned_total_, done_ + to_come);
    const auto reference = std::make_shared<const Reference>(reference_of(planned, point(to_come, replicate)));
    if (reference->interrupted) {
      was_interrupted_ = true;
      return Begun::kStop;
    }
    const auto slice = first_slice(planned, planned_count);
    if (!slice) return Begun::kStop;
    progress_.case_started(planned.record, point(to_come, replicate));
    const auto start = context_.clock.now();
    std::vector<ReplicateRecord> earlier = keeper_.earlier_replicates(planned.record);
    const LiveEstimate estimate = live_estimate(planned, earlier.empty());
    parked_.push_back({&planned, new_replicate(planned, replicate, reference), estimate, {}, std::move(earlier)});
    Parked& parked = parked_.back();
    const bool is_parked = parked.replicate->begin(*slice, show_samples(parked)) && options_.slices > 1;
    if (!is_parked) parked.replicate->end();
    const ReplicateOutcome& outcome = parked.replicate->outcome();
    if (outcome.record.status == Status::kInterrupted) {
      was_interrupted_ = true;
      parked_.pop_back();
      return Begun::kStop;
    }
    if (outcome.record.status == Status::kOutOfMemory && parked_.size() > 1) {
      parked_.pop_back();
      return Begun::kNoMemoryBesideOthers;
    }
    if (outcome.measured.count() > 0) budget_.spent(context_.clock.now() - start, outcome.measured + outcome.evaluated);
    references_.evaluated(outcome.evaluated);
    room_.look_at(outcome.record.series);
    keep(parked, IsNew::kYes, is_parked);
    done_ += static_cast<std::size_t>(parked.replicate->slices_done());
    if (is_parked) return Begun::kParked;
    end(parked_.end() - 1);
    return Begun::kOver;
  }

  std::unique_ptr<Replicate> new_replicate(const PlannedCase& planned, int replicate,
                                           const std::shared_ptr<const Reference>& reference) {
    ReplicateOptions options;
    options.worker = planned.worker ? planned.worker->path : run_.worker;
    options.launch_host = run_.launch_host;
    options.worker_timeout = options_.worker_timeout;
    options.slices = own_slices(planned);
    options.batch_sizes = batch_sizes_of(run_.cases, planned);
    options.is_compared_last = is_race();
    options.run_started = started_;
    if (reference->computed) options.reference = {reference, &reference->computed->outputs};
    options.about_reference = references_.about(*reference);
    options.interrupt = options_.interrupt;
    return std::make_unique<Replicate>(context_, planned, replicate, std::move(options), cuts_);
  }

  LiveEstimate live_estimate(const PlannedCase& planned, bool is_first) const {
    IntervalSource source = options_.slices > 1 ? IntervalSource::kCase : IntervalSource::kSamples;
    if (run_.record.replicates_planned > 1 || !is_first) source = IntervalSource::kNone;
    return LiveEstimate(planned.asked.samples_batches() ? UnitKind::kByIndex : UnitKind::kAlike, source);
  }

  OnSamples show_samples(Parked& parked) {
    return
        [this, &parked](const std::vector<Series>& series) { progress_.samples_taken(parked.estimate.update(series)); };
  }

  // One slice of each that lacks some, in the other direction than the time before.
  bool visit_all() {
    const std::int64_t round = round_++;
    const std::size_t count = parked_.size();
    std::vector<PlannedCase*> cases;  // places shift when one is over
    for (std::size_t i = 0; i < count; ++i) {
      const Parked& parked = parked_[round % 2 == 0 ? i : count - 1 - i];
      if (slices_left(parked) > 0) cases.push_back(parked.planned);
    }
    return visit_each(cases, round);
  }

  // Those that are still parked and within their limit.
  bool visit_each(const std::vector<PlannedCase*>& cases, std::int64_t round) {
    for (PlannedCase* planned : cases) {
      const auto found =
          std::find_if(parked_.begin(), parked_.end(), [&](const Parked& parked) { return parked.planned == planned; });
      if (found != parked_.end() && !is_out_of_limit(*found) && !visit(found, round)) return false;
    }
    return true;
  }

  // The user's own limit of measuring a replicate.
  bool is_out_of_limit(const Parked& parked) const {
    return options_.budget.case_limit && parked.replicate->outcome().measured >= *options_.budget.case_limit;
  }

  bool visit(std::vector<Parked>::iterator parked, std::int64_t round) {
    if (is_interrupted()) return stopped_by_user();
    auto slice = next_slice(*parked->planned, std::max<std::size_t>(1, slices_left()), due_.count(), StartsNow::kNo);
    if (!slice) return false;
    slice->round = round;
    const int index = parked->replicate->outcome().record.index;
    progress_.case_started(parked->planned->record, point(std::max<std::size_t>(1, slices_left()), index));
    const auto start = context_.clock.now();
    const bool is_well = parked->replicate->measure_again(*slice, show_samples(*parked));
    const ReplicateOutcome& outcome = parked->replicate->outcome();
    if (outcome.record.status == Status::kInterrupted) return stopped_by_user();
    if (outcome.record.status == Status::kOutOfMemory && parked_.size() > 1) {
      // No property of the case, of which a slice fitted: the others take memory too.
      done_ += slices_left(*parked);
      keeper_.say_cut_off(parked->planned->record, "out of memory beside other workers");
      parked_.erase(parked);
      return true;
    }
    keep(*parked, IsNew::kNo, is_well);
    budget_.slice_spent(context_.clock.now() - start, slice->limit);
    if (is_well) {
      ++done_;
    } else {
      end(parked);
    }
    return true;
  }

  // Where the user sets no limit, slices that are too few or too close for an interval go on beyond the usual one.
  bool is_used_up(const Parked& parked) const {
    if (options_.budget.case_limit) return is_out_of_limit(parked);
    if (budget_.is_limited()) return false;
    return has_spread_slices(parked.replicate->outcome().record) && parked.replicate->outcome().measured >= kUsualLimit;
  }

  std::vector<SlicesSoFar> slices_so_far() const {
    std::vector<SlicesSoFar> all;
    for (const Parked& parked : parked_) {
      SlicesSoFar& one = all.emplace_back();
      if (parked.so_far.is_over_slices) one.half_width = parked.so_far.half_width;
      one.is_complete = parked.planned->asked.has_fixed_count() || is_used_up(parked);
      one.slices = parked.so_far.slices;
      const auto baseline = baselines_[place_of(*parked.planned)];
      for (std::size_t i = 0; baseline && i < parked_.size(); ++i) {
        if (parked_[i].planned == &run_.cases[*baseline]) one.baseline = i;
      }
    }
    const std::vector<bool> left = is_race() ? losers_of(all) : std::vector<bool>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].is_complete = all[i].is_complete || left[i];
    return all;
  }

  // Of three processes and more the interval is over their means, which slices of the last would not narrow. With a
  // budget what is planned still gets slices of full length; in a race all that counts is who is left.
  bool may_go_on(std::size_t slices) {
    if (options_.slices == 1 || run_.record.replicates_planned >= 3) return false;
    if (!budget_.is_limited()) return true;
    if (is_race()) return budget_.next_slice(1, {0, StartsNow::kNo}, options_.slice).has_value();
    const auto slice = budget_.next_slice(slices_left() + slices, {due_.count(), StartsNow::kNo}, options_.slice,
                                          time_for_references());
    return options_.spends_rest && slice && *slice >= options_.slice;
  }

  // Two rounds, back and forth, of cases whose comparison is undecided. False when there is none, or no time.
  bool visit_quads() {
    std::vector<PlannedCase*> cases;  // places shift when one is over
    for (const std::size_t place : next_quads(slices_so_far())) cases.push_back(parked_[place].planned);
    if (cases.empty() || !may_go_on(2 * cases.size())) return false;
    round_ += round_ % 2;
    for (int half = 0; half < 2; ++half) {
      if (!visit_each(cases, round_++)) return false;
      std::reverse(cases.begin(), cases.end());
    }
    return true;
  }

  // A further slice for the case with the widest interval. False when all are narrow, or there is no time.
  bool visit_widest() {
    if (options_.after_slices != AfterSlices::kNarrow) return false;
    const auto widest = widest_case(slices_so_far());
    if (!widest || !may_go_on(1)) return false;
    return visit(parked_.begin() + static_cast<std::ptrdiff_t>(*widest), round_++);
  }

  // Ends the worker, stores the replicate and reports the case as done.
  void end(std::vector<Parked>::iterator parked) {
    if (options_.slices > 1) {  // a single window has ended already, and is kept as it did
      parked->replicate->end(parked->needs_comparing ? Comparing::kYes : Comparing::kNo);
      if (parked->replicate->outcome().record.status == Status::kInterrupted) {
        was_interrupted_ = true;
        return;
      }
      keep(*parked, IsNew::kNo, false);
    }
    PlannedCase& planned = *parked->planned;
    const int index = parked->replicate->outcome().record.index;
    done_ += slices_left(*parked);
    progress_.samples_taken(parked->estimate.last(parked->replicate->outcome().record.series));
    parked_.erase(parked);
    progress_.case_done(planned.record, point(slices_left(), index));
    if (planned.record.replicates.back().status == Status::kOutOfMemory) imply_out_of_memory(planned.record);
  }

  void count_independent_slices() {
    std::vector<std::vector<TimedSlice>> cases;
    for (const Parked& parked : parked_) {
      cases.push_back(timed_slices(parked.replicate->outcome().record, parked.so_far.slices));
    }
    const std::vector<std::optional<double>> counts = independent_slices(cases);
    for (std::size_t i = 0; i < counts.size(); ++i) parked_[i].independent_slices = counts[i];
  }

  Reference reference_of(const PlannedCase& planned, const ProgressPoint& at) {
    return references_.of(planned, [&] { progress_.reference_started(planned.record, at); });
  }

  // Of the references that cases still to come need, and of comparing these cases' outputs.
  Seconds time_for_references() { return budget_.is_limited() ? references_.time_for(due_.cases()) : Seconds(0); }

  // Stores a replicate, or what it has measured since. One that goes on says so, since its run may end at any time.
  void keep(Parked& parked, IsNew is_new, bool goes_on) {
    ReplicateOutcome outcome = parked.replicate->outcome();
    if (goes_on && lacks_slices(parked)) {
      outcome.record.status_reason =
          fmt::format("{} of {} slices measured", parked.replicate->slices_done(), own_slices(*parked.planned));
    }
    idle_power_.add_to(parked.planned->asked.device, outcome.record.series);
    if (parked.independent_slices) {
      outcome.record.series.push_back(scalar_series("independent_slices", *parked.independent_slices));
    }
    parked.so_far = keeper_.keep(parked.planned->record, std::move(outcome), is_new, parked.earlier);
    parked.estimate.set_half_width(parked.so_far.shown_half_width);
    half_widths_[place_of(*parked.planned)] = parked.so_far.half_width;
    slices_[place_of(*parked.planned)] = parked.so_far.slices;
  }

  void imply_out_of_memory(const CaseRecord& cause) {
    for (PlannedCase& planned : run_.cases) {
      CaseRecord& record = planned.record;
      if (record.status || !needs_more_memory(record.requested, cause.requested)) continue;
      ReplicateOutcome implied;
      implied.record.started_at = format_utc(context_.clock.wall_s());
      implied.record.status = Status::kImpliedOutOfMemory;
      implied.record.status_reason = implied_reason(cause);
      std::vector<ReplicateRecord> earlier;  // none, or it had a status
      keeper_.keep(record, std::move(implied), IsNew::kYes, earlier);
      done_ += static_cast<std::size_t>(planned_slices_[place_of(planned)]);
      progress_.case_done(record, point(slices_left(), 0));
    }
  }

  // One further replicate where the interval is widest. False when none is worth it or there is no time.
  bool spend_rest() {
    if (!budget_.is_limited() || !options_.spends_rest || is_interrupted()) return false;
    const auto widest = widest_of_run(run_.cases, half_widths_);
    if (!widest) return false;
    PlannedCase& planned = run_.cases[*widest];
    return begin(planned, planned.record.replicates.back().index + 1, 1) != Begun::kStop;
  }

  RunOutcome outcome_now() {
    RunOutcome outcome;
    outcome.run_id = run_.record.id;
    outcome.interrupted = was_interrupted_ || (is_interrupted() && due_.count() > 0);
    run_.record.cases.clear();
    for (const PlannedCase& planned : run_.cases) {
      add_statuses(planned.record, outcome.statuses);
      run_.record.cases.push_back(planned.record);
    }
    outcome.replicates = pending_replicates(run_.record);
    outcome.is_out_of_time = budget_.is_limited() && !outcome.interrupted && due_.count() > 0;
    outcome.retries_faults = options_.retry_faults;
    return outcome;
  }

  const Context& context_;
  PreparedRun& run_;
  const RunnerOptions& options_;
  Progress& progress_;
  Budget budget_;
  CycleCuts cuts_;
  CaseReferences references_;
  CaseKeeper keeper_;
  DueReplicates due_;
  IdlePower idle_power_;
  std::vector<std::optional<std::size_t>> baselines_;         // of each case, by position
  std::vector<std::int64_t> planned_slices_;                  // of a replicate of each case
  std::vector<Parked> parked_;                                // in the order in which they began
  std::map<std::size_t, std::optional<double>> half_widths_;  // of each case that was measured, by position
  std::map<std::size_t, std::vector<SliceTime>> slices_;      // likewise
  Clock::TimePoint started_;
  std::int64_t round_ = 0;
  WorkerRoom room_;
  std::size_t done_ = 0;  // slices
  std::size_t planned_total_ = 0;
  bool was_interrupted_ = false;
};

}  // namespace

RunOutcome execute(const Context& context, Store& store, PreparedRun& run, const RunnerOptions& options,
                   Progress& progress) {
  RunnerOptions own = options;
  own.slices = most_slices(run.cases, options.slices);
  return Runner(context, store, run, own, progress).run();
}

}  // namespace transformeter
