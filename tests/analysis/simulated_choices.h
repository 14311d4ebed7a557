// Choices among simulated cases, whose true levels are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "analysis/case_choice.h"
#include "analysis/choice_confidence.h"
#include "analysis/level.h"
#include "base/random.h"
#include "metrics/case_summary.h"
#include "stats/student_t.h"
#include "stats/summary.h"
#include "support/result_records.h"

namespace transformeter {

/// Several cases whose processes differ, each measured in a few of them.
struct ChoiceSimulation {
  std::size_t cases = 4;
  std::size_t processes = 3;
  double gap = 0.02;      // standard deviation of the cases' true levels, on the logarithm
  double between = 0.01;  // of processes around their case's level
  double within = 0.002;  // of what one process measures around its own
  double starved = 0;     // share of processes that are slowed two- to tenfold
  std::uint64_t choices = 3000;
};

struct ChoiceClaims {
  int sure = 0;   // claims with a confidence of at least 0.95
  int right = 0;  // of these, that name the truly best
};

/// How the confidence is found.
enum class ConfidenceMethod {
  kLevels,         // as win_shares does it, from a t interval over processes
  kWithinProcess,  // the same from what samples of one process tell, which is nothing of other processes
  kResampled,      // means of processes drawn with repetition
};

inline std::vector<std::vector<double>> measured_logarithms(const ChoiceSimulation& made,
                                                            const std::vector<double>& truth, RandomStream& random) {
  std::vector<std::vector<double>> cases;
  for (const double level : truth) {
    std::vector<double>& values = cases.emplace_back();
    for (std::size_t i = 0; i < made.processes; ++i) {
      values.push_back(level + made.between * random.normal() + made.within * random.normal());
    }
  }
  return cases;
}

/// As level_of has it, of a row whose interval is over the processes; or from what one process tells.
inline Level level_of_processes(const std::vector<double>& logarithms, std::optional<double> within) {
  const auto n = static_cast<double>(logarithms.size());
  if (within) return {std::exp(summarize(logarithms)->mean), *within / std::sqrt(n), 1e4, true};
  std::vector<double> values;
  for (const double logarithm : logarithms) values.push_back(std::exp(logarithm));
  const Summary summary = *summarize(values);
  const double half_width = student_t_quantile(0.975, n - 1) * *summary.stddev / std::sqrt(n);
  MetricRow row;
  row.value = summary.mean;
  row.low = summary.mean - half_width;
  row.high = summary.mean + half_width;
  row.interval = IntervalKind::kBetweenReplicates;
  row.n = logarithms.size();
  return level_of(row).value();
}

inline std::vector<double> shares_of_levels(const std::vector<std::vector<double>>& measured,
                                            std::optional<double> within, std::uint64_t seed) {
  std::vector<DrawnCase> cases;
  for (const std::vector<double>& values : measured) cases.push_back({level_of_processes(values, within), {}});
  return win_shares(cases, {.draws = 1000, .seed = seed});
}

inline std::vector<double> shares_of_resamples(const std::vector<std::vector<double>>& measured, RandomStream& random) {
  constexpr int kDraws = 1000;
  std::vector<double> shares(measured.size());
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> sums;
    for (const std::vector<double>& values : measured) {
      double& sum = sums.emplace_back();
      for (std::size_t each = 0; each < values.size(); ++each) sum += values[random.below(values.size())];
    }
    shares[static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin())] += 1.0 / kDraws;
  }
  return shares;
}

/// Measures one process of each case, and then one more of each that the choice is open about until it is made, as
/// `recommend --measure` does; at most `made.processes` of each and six cases. Nothing: it was not decided.
inline std::optional<std::size_t> searched_choice(const ChoiceSimulation& made, const std::vector<double>& truth,
                                                  RandomStream& random) {
  constexpr const char* kPrecisions[] = {"fp32", "bf16", "fp16", "int8", "int8_static", "int8_weight_only"};
  std::vector<std::vector<double>> measured_s(truth.size());
  std::vector<std::size_t> open(truth.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  const RunRecord run;
  while (!open.empty()) {
    for (const std::size_t one : open) {
      const double noise = made.between * random.normal() + made.within * random.normal();
      const bool is_starved = random.uniform() < made.starved;
      measured_s[one].push_back(0.02 * std::exp(truth[one] + noise) * (is_starved ? 2 + 8 * random.uniform() : 1));
    }
    std::deque<CaseRecord> records;
    std::deque<AnalyzedCase> analyzed;
    std::vector<ChoiceCandidate> candidates;
    for (std::size_t one = 0; one < truth.size(); ++one) {
      const CaseRecord& record = records.emplace_back(
          measured_case(static_cast<int>(one), requested_of(8, 128, kPrecisions[one]), measured_s[one]));
      analyzed.push_back({&record, analysis_of(record), std::to_string(one)});
      candidates.push_back({&analyzed.back(), &run});
    }
    const CaseChoice choice = choose_cases(candidates, {.objective = Objective::kLatency}).front();
    const auto number_at = [&](std::size_t place) { return std::stoul(choice.cases[place].candidate.one->label); };
    if (choice.state == ChoiceState::kDecided) return number_at(0);
    open.clear();
    if (!choice.next || !choice.next->replicates) return std::nullopt;
    for (const std::size_t place : choice.next->cases) {
      if (measured_s[number_at(place)].size() < made.processes) open.push_back(number_at(place));
    }
  }
  return std::nullopt;
}

/// What `choose` claims of as many choices, each among true levels of its own: it gets these, a stream and its seed,
/// and gives the place of the best, or nothing where it is not sure.
template <typename Choose>
ChoiceClaims claims_by(const ChoiceSimulation& made, const Choose& choose) {
  ChoiceClaims claims;
  for (std::uint64_t seed = 0; seed < made.choices; ++seed) {
    RandomStream random(seed, "simulated_choice");
    std::vector<double> truth;
    for (std::size_t i = 0; i < made.cases; ++i) truth.push_back(made.gap * random.normal());
    const std::optional<std::size_t> chosen = choose(truth, random, seed);
    if (!chosen) continue;
    ++claims.sure;
    claims.right += truth[*chosen] == *std::min_element(truth.begin(), truth.end()) ? 1 : 0;
  }
  return claims;
}

/// By searched_choice.
inline ChoiceClaims searched_claims(const ChoiceSimulation& made) {
  return claims_by(made, [&](const std::vector<double>& truth, RandomStream& random, std::uint64_t /*seed*/) {
    return searched_choice(made, truth, random);
  });
}

/// By shares of at least 0.95.
inline ChoiceClaims claims_of(const ChoiceSimulation& made, ConfidenceMethod method) {
  constexpr double kSure = 0.95;
  const auto choose = [&](const std::vector<double>& truth, RandomStream& random,
                          std::uint64_t seed) -> std::optional<std::size_t> {
    const auto measured = measured_logarithms(made, truth, random);
    const std::vector<double> shares =
        method == ConfidenceMethod::kResampled
            ? shares_of_resamples(measured, random)
            : shares_of_levels(measured,
                               method == ConfidenceMethod::kLevels ? std::nullopt : std::optional(made.within), seed);
    const auto most = std::max_element(shares.begin(), shares.end());
    if (*most < kSure) return std::nullopt;
    return static_cast<std::size_t>(most - shares.begin());
  };
  return claims_by(made, choose);
}

inline double share_right(const ChoiceClaims& claims) {
  return static_cast<double>(claims.right) / claims.sure;
}

}  // namespace transformeter
