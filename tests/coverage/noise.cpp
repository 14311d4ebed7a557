// Steps of five milliseconds in which a machine's speed does not change.
#include "coverage/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

constexpr double kStepS = 0.005;
constexpr std::array<double, 3> kCorrelationTimesS{0.5, 5, 50};
constexpr double kLevelMeanS = 10;

double burst_slowdown(RandomStream& random) {
  return 1.6 + 0.4 * random.uniform();
}

double sample_jitter(RandomStream& random) {
  const double outlier = random.uniform() < 0.01 ? 1.1 + 0.9 * random.uniform() : 1;
  return outlier * std::exp(0.015 * random.normal());
}

// One number a line, in microseconds, after lines that begin with '#'.
NoiseModel read_recorded(const std::filesystem::path& path) {
  NoiseModel model{.name = "recorded: " + path.stem().string()};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') model.recorded_s.push_back(1e-6 * std::stod(line));
  }
  if (model.recorded_s.empty()) throw Error(ErrorKind::kBadInput, "no times in " + path.string());
  return model;
}

}  // namespace

NoiseModel quiet_machine() {
  return {.name = "quiet"};
}

std::vector<NoiseModel> made_up_machines() {
  return {quiet_machine(),
          {.name = "slow wander, 1.5 % each", .wander = 0.015},
          {.name = "slow wander, 3 % each", .wander = 0.03},
          {.name = "levels 0/+10 %, 10 s", .level = 0.1},
          {.name = "bursts of 0.5 s, 35 %", .burst_mean_s = 0.5},
          {.name = "bursts of 1.5 s, 35 %", .burst_mean_s = 1.5},
          {.name = "rare bursts of 0.7 s, 8 %", .burst_mean_s = 0.7, .burst_share = 0.08}};
}

std::vector<NoiseModel> recorded_machines() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TRANSFORMETER_RECORDED_NOISE)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<NoiseModel> models;
  for (const auto& path : paths) models.push_back(read_recorded(path));
  return models;
}

Machine::Machine(const NoiseModel& model, RandomStream& random, double quantile) : model_(model), random_(random) {
  for (std::size_t i = 0; model.wander > 0 && i < kCorrelationTimesS.size(); ++i) wander_.push_back(random.normal());
  is_slow_level_ = model.level > 0 && quantile < 0.5;
  is_burst_ = model.burst_mean_s > 0 && quantile < model.burst_share;
  if (is_burst_) burst_slowdown_ = burst_slowdown(random);
  if (model.recorded_s.empty()) return;
  usual_s_ = *median_of(model.recorded_s);
  double total_s = 0;
  for (const double time_s : model.recorded_s) total_s += time_s;
  double rest_s = quantile * total_s;
  while (rest_s > model.recorded_s[place_]) rest_s -= model.recorded_s[place_++];
}

double Machine::jitter() {
  return model_.recorded_s.empty() ? sample_jitter(random_) : 1;
}

double Machine::work(double quiet_s) {
  const double start_s = now_s_;
  double work_s = quiet_s;
  while (work_s > 0) {
    if (left_s_ <= 0) step();
    const double needed_s = work_s * slowdown_;
    const double spent_s = std::min(left_s_, needed_s);
    now_s_ += spent_s;
    left_s_ -= spent_s;
    work_s = spent_s < needed_s ? work_s - spent_s / slowdown_ : 0;
  }
  return now_s_ - start_s;
}

void Machine::step() {
  left_s_ = kStepS;
  if (!model_.recorded_s.empty()) {
    left_s_ = model_.recorded_s[place_];
    slowdown_ = left_s_ / usual_s_;
    place_ = (place_ + 1) % model_.recorded_s.size();
    return;
  }
  slowdown_ = 1;
  for (std::size_t i = 0; i < wander_.size(); ++i) {
    const double kept = std::exp(-kStepS / kCorrelationTimesS[i]);
    wander_[i] = kept * wander_[i] + std::sqrt(1 - kept * kept) * random_.normal();
    slowdown_ *= std::exp(model_.wander * wander_[i]);
  }
  if (model_.level > 0) {
    if (random_.uniform() < kStepS / kLevelMeanS) is_slow_level_ = !is_slow_level_;
    if (is_slow_level_) slowdown_ *= 1 + model_.level;
  }
  if (model_.burst_mean_s > 0) {
    const double quiet_mean_s = model_.burst_mean_s * (1 - model_.burst_share) / model_.burst_share;
    if (random_.uniform() < kStepS / (is_burst_ ? model_.burst_mean_s : quiet_mean_s)) {
      is_burst_ = !is_burst_;
      burst_slowdown_ = burst_slowdown(random_);
    }
    if (is_burst_) slowdown_ *= burst_slowdown_;
  }
}

// Starts are spread evenly over time, but a machine that is slow starts fewer batches: each counts by its speed.
double true_median_s(const NoiseModel& model, double batch_s, RandomStream& random) {
  constexpr std::size_t kStarts = 100000;
  std::vector<std::pair<double, double>> times;  // and speeds
  double speeds = 0;
  for (std::size_t i = 0; i < kStarts; ++i) {
    Machine machine(model, random, (static_cast<double>(i) + 0.5) / static_cast<double>(kStarts));
    const double work_s = batch_s * machine.jitter();
    const double time_s = machine.work(work_s);
    times.emplace_back(time_s, work_s / time_s);
    speeds += times.back().second;
  }
  std::sort(times.begin(), times.end());
  double below = 0;
  std::size_t place = 0;
  while (below + times[place].second < speeds / 2) below += times[place++].second;
  return times[place].first;
}

}  // namespace transformeter
