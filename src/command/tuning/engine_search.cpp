// What won one race may owe it to luck among many: the last race is between two alone.
#include "tuning/engine_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "run/race_rule.h"

namespace transformeter {
namespace {

constexpr std::size_t kMostContenders = 16;  // of a race, beside the best so far: workers that live at once
constexpr int kMostRounds = 3;               // of one group of settings
constexpr double kLastRaceShare = 0.25;      // of the time
constexpr Seconds kShortestRace{2};
constexpr double kLessMemory = 0.97;  // of the start's: processes of one case differ by as much
constexpr int kProcesses = 3;         // of each in the last race for memory

// Another precision changes what is best of the rest, and gains or loses most.
std::pair<std::vector<std::string>, std::vector<std::string>> precision_apart(const std::vector<std::string>& names) {
  std::pair<std::vector<std::string>, std::vector<std::string>> apart;
  for (const std::string& name : names) (name == "precision" ? apart.first : apart.second).push_back(name);
  return apart;
}

class Search {
 public:
  Search(const Context& context, Store& store, const PreparedRun& run, const RunnerOptions& options,
         const SearchSetup& setup, Progress& progress)
      : context_(context),
        store_(store),
        run_(run),
        options_(options),
        setup_(setup),
        progress_(progress),
        watch_(context.clock),
        best_(setup.start) {}

  EngineChoice run() {
    const auto [precision, engine] = precision_apart(setup_.open.engine);
    for (const auto* group : {&precision, &setup_.open.launch, &engine}) improve(*group);
    EngineChoice choice;
    choice.end = is_out_of_time_ ? SearchEnd::kOutOfTime : SearchEnd::kNoBetter;
    if (has_no_room_) choice.end = SearchEnd::kNoRoom;
    if (!why_no_start_.empty()) choice.end = SearchEnd::kNoStart;
    choice.reason = why_no_start_;
    if (best_ != setup_.start) hold_last_race(choice);
    choice.tried = tried_count_;
    choice.all_compared = !has_ended();
    choice.runs = std::move(runs_);
    return choice;
  }

 private:
  void improve(const std::vector<std::string>& open) {
    std::vector<Json> points = neighbours(best_, open, setup_.open, run_.expansion.capabilities);
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<Json> better = better_of(runnable(points));
      if (better.empty()) return;
      points = combinations(best_, better);
      best_ = better.front();
    }
  }

  // Those not raced before that the worker and the model can run.
  std::vector<Json> runnable(const std::vector<Json>& points) {
    std::vector<Json> some;
    for (const Json& point : points) {
      if (std::find(raced_.begin(), raced_.end(), point) != raced_.end()) continue;
      if (!planned_point(point, run_.expansion, *run_.describer).record.status) some.push_back(point);
    }
    return some;
  }

  // The best first.
  std::vector<Json> better_of(const std::vector<Json>& points) {
    std::vector<std::pair<double, Json>> better;  // by gain
    std::vector<Json> left = points;
    while (!left.empty() && !has_ended()) {
      const Seconds time = time_left() - kLastRaceShare * setup_.time;
      std::vector<Json> contenders{best_};
      const std::size_t count = std::min(left.size(), kMostContenders);
      std::move(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count), std::back_inserter(contenders));
      left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count));
      is_out_of_time_ = time < kShortestRace;
      if (is_out_of_time_) break;
      const Race held = race(contenders, time, 1);
      why_no_start_ = held.contenders.front().why_not;
      if (!why_no_start_.empty()) break;
      std::vector<Json> not_reached;
      for (std::size_t i = 1; i < held.contenders.size(); ++i) {
        const Contender& one = held.contenders[i];
        const auto gain = gain_of(one, held.contenders.front());
        if (gain) better.emplace_back(*gain, one.point);
        if (one.why_not == kNotReached) {
          not_reached.push_back(one.point);
        } else if (!gain && !is_compared(one)) {
          is_out_of_time_ = true;
        }
      }
      // With time left there was no room for one beside the first.
      if (not_reached.size() == count) (time_left() > setup_.time / 2 ? has_no_room_ : is_out_of_time_) = true;
      left.insert(left.begin(), not_reached.begin(), not_reached.end());
    }
    std::stable_sort(better.begin(), better.end(),
                     [](const auto& one, const auto& other) { return one.first > other.first; });
    std::vector<Json> sorted;
    for (auto& [gain, point] : better) sorted.push_back(std::move(point));
    return sorted;
  }

  // How much better than the first; nothing unless it may be chosen for that.
  std::optional<double> gain_of(const Contender& one, const Contender& first) const {
    if (!one.why_not.empty()) return std::nullopt;
    if (setup_.limits.objective == Objective::kMemory) {
      if (!one.memory_bytes || !first.memory_bytes) return std::nullopt;
      const double ratio = *one.memory_bytes / *first.memory_bytes;
      return ratio < kLessMemory ? std::optional(1 / ratio) : std::nullopt;
    }
    if (!one.speed_up || !may_be_chosen(*one.speed_up)) return std::nullopt;
    return one.speed_up->value;
  }

  bool is_compared(const Contender& one) const {
    if (!one.why_not.empty()) return one.why_not != kNotReached;
    return setup_.limits.objective == Objective::kMemory || one.is_out || one.speed_up;
  }

  void hold_last_race(EngineChoice& choice) {
    const bool is_memory = setup_.limits.objective == Objective::kMemory;
    const Race held = race({setup_.start, best_}, std::max(time_left(), kShortestRace), is_memory ? kProcesses : 1);
    const Contender& last = held.contenders.back();
    choice.speed_up = last.speed_up;
    if (is_memory && last.memory_bytes && held.contenders.front().memory_bytes) {
      choice.memory_ratio = *last.memory_bytes / *held.contenders.front().memory_bytes;
    }
    if (gain_of(last, held.contenders.front())) {
      choice.changes = changes_from(setup_.start, best_);
      const bool is_decided = is_memory || answer_of(*last.speed_up) == SpeedAnswer::kFaster;
      choice.end = is_decided ? SearchEnd::kBetter : SearchEnd::kLikelyBetter;
    } else if (!is_compared(last)) {
      is_out_of_time_ = true;
      choice.end = SearchEnd::kOutOfTime;
    }
  }

  Race race(const std::vector<Json>& points, Seconds time, int processes) {
    Race held = hold_race(context_, store_, run_, options_, points, setup_.limits, time, processes, progress_);
    if (held.was_interrupted) {
      throw Error(ErrorKind::kInterrupted,
                  "stopped by the user during the trials of engine auto, before the run began; finished choices are "
                  "kept");
    }
    runs_.push_back(held.run_id);
    for (std::size_t i = 1; i < held.contenders.size(); ++i) {
      const Json& point = held.contenders[i].point;
      if (held.contenders[i].why_not == kNotReached) continue;
      if (std::find(raced_.begin(), raced_.end(), point) != raced_.end()) continue;
      raced_.push_back(point);
      ++tried_count_;
    }
    return held;
  }

  bool has_ended() const { return is_out_of_time_ || has_no_room_ || !why_no_start_.empty(); }

  Seconds time_left() const { return setup_.time - Seconds(watch_.seconds()); }

  const Context& context_;
  Store& store_;
  const PreparedRun& run_;
  const RunnerOptions& options_;
  const SearchSetup& setup_;
  Progress& progress_;
  Stopwatch watch_;
  Json best_;
  std::vector<Json> raced_;
  std::vector<std::string> runs_;
  std::int64_t tried_count_ = 0;
  bool is_out_of_time_ = false;
  bool has_no_room_ = false;
  std::string why_no_start_;
};

}  // namespace

EngineChoice search_engine(const Context& context, Store& store, const PreparedRun& run, const RunnerOptions& options,
                           const SearchSetup& setup, Progress& progress) {
  return Search(context, store, run, options, setup, progress).run();
}

}  // namespace transformeter
