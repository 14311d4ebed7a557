// The rules are those of src/command/run/runner.cpp, src/command/run/further_slices.cpp and
// src/worker/measure/measuring_window.cpp.
#include "coverage/simulated_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "metrics/latency_metrics.h"
#include "metrics/sample_window.h"
#include "metrics/verdict_rules.h"
#include "stats/independent_slices.h"
#include "stats/replicates.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr double kSliceS = 0.5;
constexpr std::size_t kSliceSamples = 2;
constexpr std::size_t kLiveSlices = 4;
constexpr double kLiveSliceS = 0.25;
constexpr double kLongUnitS = 0.25;
constexpr double kUsualLimitS = 30;
constexpr double kUnknownHalfWidth = 1;

class Simulated {
 public:
  Simulated(Machine& machine, double batch_s, double slice_s = kSliceS, int process = 0)
      : machine_(machine), batch_s_(batch_s), slice_s_(slice_s), process_(process) {}

  // One or two passes that do not count, then a slice. The windows are kept: only the new one is looked at again.
  void visit(std::size_t round) {
    if (machine_.run(batch_s_) < kLongUnitS) machine_.run(batch_s_);
    const double start_s = machine_.now_s();
    first_.push_back(static_cast<double>(latency_.size()));
    starts_.push_back(start_s);
    rounds_.push_back(static_cast<double>(round));
    Series slice;
    while (slice.value.size() < kSliceSamples || machine_.now_s() - start_s < slice_s_) {
      slice.value.push_back(machine_.run(batch_s_));
    }
    latency_.insert(latency_.end(), slice.value.begin(), slice.value.end());
    measured_s_ += machine_.now_s() - start_s;
    windows_.push_back(sample_window(&slice, {}));
    windows_.back().start_s = start_s;
    slices_.push_back({process_, static_cast<std::int64_t>(round), median_of(windows_.back().samples).value_or(0)});
  }

  // Of the headline; before the slices are spread, there is none.
  void update_half_width() {
    if (is_spread()) half_width_ = headline_half_width({headline_of(windows_)});
  }

  std::pair<double, double> rank() const {
    return {half_width_.value_or(kUnknownHalfWidth), -static_cast<double>(first_.size())};
  }
  bool is_spread() const {
    return starts_.size() >= kFewestSlices && starts_.back() - starts_.front() >= kShortestSpreadS;
  }
  const std::vector<SliceTime>& slices() const { return slices_; }
  bool is_used_up() const { return is_spread() && measured_s_ >= kUsualLimitS; }

  std::vector<TimedSlice> timed() const {
    std::vector<TimedSlice> timed;
    for (std::size_t i = 0; i < starts_.size(); ++i) timed.push_back({starts_[i], slices_[i].seconds});
    return timed;
  }

  CaseRecord record(std::optional<double> independent) const {
    CaseRecord the_case;
    the_case.effective = {{"cycle_batches", 1}};
    ReplicateRecord& replicate = the_case.replicates.emplace_back();
    replicate.series = {value_series("latency", latency_), value_series("slice_first_sample", first_),
                        value_series("slice_start", starts_), value_series("slice_round", rounds_)};
    if (independent) replicate.series.push_back(scalar_series("independent_slices", *independent));
    return the_case;
  }

 private:
  Machine& machine_;
  double batch_s_;
  double slice_s_;
  int process_;
  double measured_s_ = 0;
  std::vector<double> latency_;
  std::vector<double> first_;
  std::vector<double> starts_;
  std::vector<double> rounds_;
  std::vector<SampleWindow> windows_;
  std::vector<SliceTime> slices_;
  std::optional<double> half_width_;
};

// Nothing when every case is precise enough or has used up its time.
Simulated* widest_of(std::vector<Simulated>& cases) {
  Simulated* widest = nullptr;
  for (Simulated& one : cases) {
    if (one.is_used_up() || one.rank().first <= kTargetHalfWidth) continue;
    if (widest == nullptr || one.rank() > widest->rank()) widest = &one;
  }
  return widest;
}

void visit_all(std::vector<Simulated>& cases, std::size_t round) {
  for (std::size_t i = 0; i < cases.size(); ++i) cases[round % 2 == 0 ? i : cases.size() - 1 - i].visit(round);
}

// One slice of each, back and forth.
std::vector<Simulated> after_rounds(Machine& machine, const std::vector<double>& batch_s) {
  std::vector<Simulated> cases;
  for (const double seconds : batch_s) {
    cases.emplace_back(machine, seconds);
    cases.back().visit(0);
  }
  for (std::size_t round = 1; round < kFewestSlices; ++round) visit_all(cases, round);
  return cases;
}

std::vector<CaseRecord> records_of(const std::vector<Simulated>& cases, Moods moods) {
  std::vector<std::vector<TimedSlice>> timed;
  for (const Simulated& one : cases) timed.push_back(one.timed());
  const std::vector<std::optional<double>> independent = independent_slices(timed);
  std::vector<CaseRecord> records;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    records.push_back(cases[i].record(moods == Moods::kOfAllCases ? independent[i] : std::nullopt));
  }
  return records;
}

SpeedAnswer answer_so_far(const Simulated& baseline, const Simulated& candidate) {
  const auto quotient = quotient_over_quads(quads_of(baseline.slices(), candidate.slices()));
  return quotient ? answer_of(*quotient) : SpeedAnswer::kUndecided;
}

// The baseline and those that are undecided; empty when there is nothing left to do.
std::vector<Simulated*> next_quad(std::vector<Simulated>& cases) {
  std::vector<Simulated*> next{&cases.front()};
  for (std::size_t i = 1; i < cases.size() && !cases.front().is_used_up(); ++i) {
    const bool is_decided = answer_so_far(cases.front(), cases[i]) != SpeedAnswer::kUndecided;
    if (!is_decided && !cases[i].is_used_up()) next.push_back(&cases[i]);
  }
  return next.size() > 1 ? next : std::vector<Simulated*>();
}

}  // namespace

std::vector<CaseRecord> simulated_run(const NoiseModel& model, const std::vector<double>& batch_s,
                                      RandomStream& random) {
  Machine machine(model, random, random.uniform());
  std::vector<Simulated> cases = after_rounds(machine, batch_s);
  std::size_t round = kFewestSlices;
  for (Simulated& one : cases) one.update_half_width();
  while (Simulated* widest = widest_of(cases)) {
    widest->visit(round++);
    widest->update_half_width();
  }
  return records_of(cases, Moods::kOfAllCases);
}

std::vector<CaseRecord> simulated_rounds(const NoiseModel& model, const std::vector<double>& batch_s, double seconds,
                                         Moods moods, RandomStream& random) {
  Machine machine(model, random, random.uniform());
  const double start_s = machine.now_s();
  std::vector<Simulated> cases = after_rounds(machine, batch_s);
  for (std::size_t round = kFewestSlices; machine.now_s() - start_s < seconds; ++round) visit_all(cases, round);
  return records_of(cases, moods);
}

std::vector<SpeedAnswer> simulated_comparison(const NoiseModel& model, const std::vector<double>& batch_s,
                                              RandomStream& random) {
  Machine machine(model, random, random.uniform());
  std::vector<Simulated> cases = after_rounds(machine, batch_s);
  std::size_t round = kFewestSlices;
  for (std::vector<Simulated*> quad = next_quad(cases); !quad.empty(); quad = next_quad(cases)) {
    for (Simulated* one : quad) one->visit(round);
    std::reverse(quad.begin(), quad.end());
    for (Simulated* one : quad) one->visit(round + 1);
    round += 2;
  }
  std::vector<SpeedAnswer> answers;
  for (std::size_t i = 1; i < cases.size(); ++i) answers.push_back(answer_so_far(cases.front(), cases[i]));
  return answers;
}

SimulatedLive simulated_live(const NoiseModel& model, const LivePair& pair, RandomStream& random) {
  constexpr double kLongestS = 180;
  constexpr double kStartS = 0.5;  // of a process
  Machine machine(model, random, random.uniform());
  const double start_s = machine.now_s();
  const auto factor = [&] { return std::exp(pair.process_deviation * random.normal()); };
  std::vector<SliceTime> before;
  std::vector<SliceTime> after;
  SimulatedLive live;
  for (int process = 0; live.answer == SpeedAnswer::kUndecided && machine.now_s() - start_s < kLongestS; ++process) {
    machine.work(2 * kStartS + 2 * kLiveSliceS);  // with the first slice of each, which is in no pair
    Simulated first(machine, pair.batch_s * factor(), kLiveSliceS, process);
    Simulated second(machine, pair.batch_s * pair.ratio * factor(), kLiveSliceS, process);
    std::array<Simulated*, 2> order{&first, &second};
    if (process % 2 == 1) std::reverse(order.begin(), order.end());
    for (std::size_t round = 0; round < kLiveSlices; ++round) {
      for (Simulated* one : order) one->visit(round);
      std::reverse(order.begin(), order.end());
    }
    before.insert(before.end(), first.slices().begin(), first.slices().end());
    after.insert(after.end(), second.slices().begin(), second.slices().end());
    const auto speed_up = quotient_over_live_processes(quads_of(before, after));
    if (speed_up) live.answer = answer_of(*speed_up);
  }
  live.took_s = machine.now_s() - start_s;
  return live;
}

CaseRecord simulated_windows(const NoiseModel& model, double batch_s, std::size_t windows, double seconds,
                             RandomStream& random) {
  Machine machine(model, random, random.uniform());
  CaseRecord the_case;
  the_case.effective = {{"cycle_batches", 1}};
  for (std::size_t i = 0; i < windows; ++i) {
    std::vector<double> latency;
    const double start_s = machine.now_s();
    while (machine.now_s() - start_s < seconds) latency.push_back(machine.run(batch_s));
    ReplicateRecord& replicate = the_case.replicates.emplace_back();
    replicate.index = static_cast<int>(i);
    replicate.series = {value_series("latency", std::move(latency))};
  }
  return the_case;
}

void ValidCoverage::add(bool is_valid, const Interval& interval, double truth) {
  ++asked_;
  if (!is_valid) return;
  ++valid_;
  if (interval.low <= truth && truth <= interval.high) ++covered_;
  half_widths_ += (interval.high - interval.low) / 2 / truth;
}

void ValidCoverage::add(const CaseAnalysis& analysis, double truth) {
  const MetricRow* row = headline(analysis.metrics);
  const auto& reasons = analysis.verdict.reasons;
  const bool is_well =
      std::all_of(reasons.begin(), reasons.end(), [](const Finding& reason) { return reason.name == "single_window"; });
  const bool is_valid = is_well && row != nullptr && row->low && row->high;
  add(is_valid, is_valid ? Interval{*row->low, *row->high} : Interval{}, truth);
}

void ValidCoverage::add(const ValidCoverage& others) {
  asked_ += others.asked_;
  valid_ += others.valid_;
  covered_ += others.covered_;
  half_widths_ += others.half_widths_;
}

}  // namespace transformeter
