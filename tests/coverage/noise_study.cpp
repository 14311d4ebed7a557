// Runs of the noises of noise.h under the runner's stopping rule.
#include "coverage/noise_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coverage/noise.h"
#include "coverage/simulated_run.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

std::string cell(const ValidCoverage& coverage) {
  if (coverage.valid() == 0) return "0 / – / –";
  return fmt::format("{:.0f} / {:.1f} / {:.1f}", 100 * coverage.valid_share(), 100 * coverage.share_covered(),
                     100 * coverage.half_width());
}

// Cases of one run share its machine, so that its rows tell less than as many runs do: there are twice as many rows as
// trials.
std::size_t runs_for(std::size_t trials, std::size_t cases) {
  return std::max<std::size_t>(1, cases == 1 ? trials : 2 * trials / cases);
}

ValidCoverage over_slices(const NoiseModel& model, const std::vector<double>& batches_s, std::size_t trials,
                          RandomStream& random) {
  std::vector<double> truths;
  for (const double batch_s : batches_s) truths.push_back(true_median_s(model, batch_s, random));
  ValidCoverage coverage;
  for (std::size_t i = 0; i < trials; ++i) {
    const std::vector<CaseRecord> run = simulated_run(model, batches_s, random);
    for (std::size_t k = 0; k < run.size(); ++k) coverage.add(analyze_case(run[k]), truths[k]);
  }
  return coverage;
}

ValidCoverage over_rounds(const NoiseModel& model, const std::vector<double>& batches_s, double truth_s, Moods moods,
                          std::size_t trials, RandomStream& random) {
  constexpr double kSeconds = 110;
  ValidCoverage coverage;
  for (std::size_t i = 0; i < trials; ++i) {
    for (const CaseRecord& one : simulated_rounds(model, batches_s, kSeconds, moods, random)) {
      coverage.add(analyze_case(one), truth_s);
    }
  }
  return coverage;
}

void print_line(std::string_view noise, std::string_view batch, std::span<const ValidCoverage> cells) {
  fmt::print("| {} | {} |", noise, batch);
  for (const ValidCoverage& one : cells) fmt::print(" {} |", cell(one));
  fmt::print("\n");
  std::fflush(stdout);
}

ValidCoverage over_windows(const NoiseModel& model, double batch_s, std::size_t windows, double seconds,
                           std::size_t trials, RandomStream& random) {
  const double truth = true_median_s(model, batch_s, random);
  ValidCoverage coverage;
  for (std::size_t i = 0; i < trials; ++i) {
    coverage.add(analyze_case(simulated_windows(model, batch_s, windows, seconds, random)), truth);
  }
  return coverage;
}

std::vector<NoiseModel> all_machines() {
  std::vector<NoiseModel> models = made_up_machines();
  for (NoiseModel& model : recorded_machines()) models.push_back(std::move(model));
  return models;
}

// Shares of the answers faster and slower, in percent.
std::string answers_cell(const NoiseModel& model, std::vector<double> batches_s, double ratio, std::size_t trials,
                         RandomStream& random) {
  for (std::size_t i = 1; i < batches_s.size(); ++i) batches_s[i] *= ratio;
  std::size_t faster = 0;
  std::size_t slower = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    for (const SpeedAnswer answer : simulated_comparison(model, batches_s, random)) {
      faster += answer == SpeedAnswer::kFaster ? 1 : 0;
      slower += answer == SpeedAnswer::kSlower ? 1 : 0;
      ++all;
    }
  }
  const auto percent = [&](std::size_t count) { return 100 * static_cast<double>(count) / static_cast<double>(all); };
  return fmt::format("{:.1f} / {:.1f}", percent(faster), percent(slower));
}

constexpr double kSlower = 1.05;
constexpr double kLiveBatchS = 0.06;

// Shares of the answers, and seconds in the median.
std::string live_cell(const NoiseModel& model, const LivePair& pair, std::size_t trials, RandomStream& random) {
  std::size_t faster = 0;
  std::size_t slower = 0;
  std::vector<double> took_s;
  for (std::size_t i = 0; i < trials; ++i) {
    const SimulatedLive live = simulated_live(model, pair, random);
    faster += live.answer == SpeedAnswer::kFaster ? 1 : 0;
    slower += live.answer == SpeedAnswer::kSlower ? 1 : 0;
    took_s.push_back(live.took_s);
  }
  const auto percent = [&](std::size_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(trials);
  };
  return fmt::format("{:.1f} / {:.1f} | {:.0f} s", percent(faster), percent(slower),
                     median_of(std::move(took_s)).value_or(0));
}

}  // namespace

void study_noise(std::size_t trials, std::uint64_t seed) {
  constexpr std::array<double, 4> kBatchesS{0.005, 0.06, 0.4, 1.5};
  constexpr std::array<std::size_t, 3> kCases{1, 4, 8};
  fmt::print(
      "| noise | batch | one window of 15 s | 5 replicates of 3 s | 1 case | 4 cases | 8 cases |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const NoiseModel& model : all_machines()) {
    std::array<ValidCoverage, 2 + kCases.size()> all;
    for (const double batch_s : kBatchesS) {
      RandomStream random(seed, fmt::format("noise/{}/{}", model.name, batch_s));
      std::vector<ValidCoverage> cells{over_windows(model, batch_s, 1, 15, trials, random),
                                       over_windows(model, batch_s, 5, 3, trials, random)};
      for (const std::size_t cases : kCases) {
        const std::vector<double> run(cases, batch_s);
        cells.push_back(over_slices(model, run, runs_for(trials, cases), random));
      }
      for (std::size_t i = 0; i < cells.size(); ++i) all[i].add(cells[i]);
      print_line(model.name, fmt::format("{:.0f} ms", 1000 * batch_s), cells);
    }
    print_line(model.name, "all", all);
  }
}

void study_rounds(std::size_t trials, std::uint64_t seed) {
  fmt::print("| noise | batch | 4 cases | moods of all | 8 cases | moods of all |\n|---|---|---|---|---|---|\n");
  for (const NoiseModel& model : all_machines()) {
    for (const double batch_s : {0.06, 0.4}) {
      const std::string name = fmt::format("rounds/{}/{}", model.name, batch_s);
      RandomStream of_truth(seed, name + "/truth");
      const double truth_s = true_median_s(model, batch_s, of_truth);
      std::vector<ValidCoverage> cells;
      for (const std::size_t cases : {4, 8}) {
        for (const Moods moods : {Moods::kUnknown, Moods::kOfAllCases}) {
          RandomStream random(seed, fmt::format("{}/{}", name, cases));
          const std::vector<double> batches_s(cases, batch_s);
          cells.push_back(over_rounds(model, batches_s, truth_s, moods, runs_for(trials, cases), random));
        }
      }
      print_line(model.name, fmt::format("{:.0f} ms", 1000 * batch_s), cells);
    }
  }
}

void study_pairs(std::size_t trials, std::uint64_t seed) {
  fmt::print(
      "| noise | batch | equal, 2 cases | equal, 8 cases | 5 % slower, 2 cases | 5 % slower, 8 cases |\n"
      "|---|---|---|---|---|---|\n");
  for (const NoiseModel& model : all_machines()) {
    for (const double batch_s : {0.06, 0.4}) {
      RandomStream random(seed, fmt::format("pairs/{}/{}", model.name, batch_s));
      fmt::print("| {} | {:.0f} ms |", model.name, 1000 * batch_s);
      for (const double ratio : {1.0, kSlower}) {
        for (const std::size_t cases : {2, 8}) {
          const std::vector<double> run(cases, batch_s);
          fmt::print(" {} |", answers_cell(model, run, ratio, runs_for(trials, cases - 1), random));
          std::fflush(stdout);
        }
      }
      fmt::print("\n");
    }
  }
}

void study_live(std::size_t trials, std::uint64_t seed) {
  fmt::print(
      "| noise | processes differ by | equal: faster / slower | takes | 5 % slower: faster / slower | takes |\n"
      "|---|---|---|---|---|---|\n");
  for (const NoiseModel& model : all_machines()) {
    for (const double deviation : {0.0, 0.01, 0.02}) {
      RandomStream random(seed, fmt::format("live/{}/{}", model.name, deviation));
      fmt::print("| {} | {:.0f} % |", model.name, 100 * deviation);
      for (const double ratio : {1.0, kSlower}) {
        fmt::print(" {} |", live_cell(model, {kLiveBatchS, ratio, deviation}, trials, random));
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
}

}  // namespace transformeter
