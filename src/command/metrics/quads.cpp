// Matches slices by replicate and pair of rounds.
#include "metrics/quads.h"

#include <cmath>
#include <map>
#include <utility>

#include "stats/mean.h"
#include "stats/paired.h"
#include "stats/summary.h"

namespace transformeter {
namespace {

// The sum of the logarithms, and from how many rounds.
struct Half {
  double log_seconds = 0;
  int rounds = 0;
};

using Halves = std::map<std::pair<int, std::int64_t>, Half>;  // by replicate and pair of rounds

Halves halves_of(const std::vector<SliceTime>& slices) {
  Halves halves;
  for (const SliceTime& slice : slices) {
    Half& half = halves[{slice.process, slice.round / 2}];
    half.log_seconds += std::log(slice.seconds);
    ++half.rounds;
  }
  return halves;
}

std::optional<Quotient> quotient_of(const std::optional<Estimate>& log_ratio) {
  if (!log_ratio || !log_ratio->interval) return std::nullopt;
  return Quotient{std::exp(log_ratio->value), std::exp(log_ratio->interval->low), std::exp(log_ratio->interval->high)};
}

// In the order of the processes.
std::vector<double> means_of_processes(const std::vector<Quad>& quads) {
  std::map<int, std::vector<double>> ratios;
  for (const Quad& quad : quads) ratios[quad.process].push_back(quad.log_ratio);
  std::vector<double> means;
  for (const auto& [process, of_process] : ratios) means.push_back(estimate_mean(of_process)->value);
  return means;
}

// What is looked at again and again.
std::optional<Quotient> quotient_at_last_look(std::vector<double> log_ratios) {
  log_ratios.resize(last_paired_look(log_ratios.size()));
  return quotient_of(signed_rank_estimate(log_ratios));
}

}  // namespace

std::vector<Quad> quads_of(const std::vector<SliceTime>& a, const std::vector<SliceTime>& b) {
  const Halves of_a = halves_of(a);
  const Halves of_b = halves_of(b);
  std::vector<Quad> quads;
  for (const auto& [place, half] : of_a) {
    const auto other = of_b.find(place);
    if (other == of_b.end() || half.rounds != 2 || other->second.rounds != 2) continue;
    const double ratio = (half.log_seconds - other->second.log_seconds) / 2;
    if (std::isfinite(ratio)) quads.push_back({place.first, ratio});
  }
  return quads;
}

std::optional<double> median_ratio(const std::vector<Quad>& quads) {
  std::vector<double> ratios;
  for (const Quad& quad : quads) ratios.push_back(quad.log_ratio);
  const auto median = median_of(std::move(ratios));
  return median ? std::optional(std::exp(*median)) : std::nullopt;
}

std::optional<Quotient> quotient_over_quads(const std::vector<Quad>& quads) {
  std::vector<double> ratios;
  for (const Quad& quad : quads) ratios.push_back(quad.log_ratio);
  return quotient_at_last_look(std::move(ratios));
}

std::optional<Quotient> quotient_over_processes(const std::vector<Quad>& quads) {
  constexpr std::size_t kFewestProcesses = 3;
  const std::vector<double> means = means_of_processes(quads);
  return means.size() < kFewestProcesses ? std::nullopt : quotient_of(estimate_mean(means));
}

std::optional<Quotient> quotient_over_live_processes(const std::vector<Quad>& quads) {
  return quotient_at_last_look(means_of_processes(quads));
}

std::size_t process_count(const std::vector<Quad>& quads) {
  return means_of_processes(quads).size();
}

std::string_view name_of(SpeedAnswer answer) {
  switch (answer) {
    case SpeedAnswer::kFaster:
      return "faster";
    case SpeedAnswer::kSlower:
      return "slower";
    case SpeedAnswer::kSame:
      return "same";
    case SpeedAnswer::kUndecided:
      return "undecided";
  }
  return "undecided";
}

SpeedAnswer answer_of(const Quotient& speed_up) {
  const double beyond = 1 + kNoiseThreshold;
  if (speed_up.low > 1 && speed_up.value > beyond) return SpeedAnswer::kFaster;
  if (speed_up.high < 1 && speed_up.value < 1 / beyond) return SpeedAnswer::kSlower;
  return speed_up.low > 1 / beyond && speed_up.high < beyond ? SpeedAnswer::kSame : SpeedAnswer::kUndecided;
}

}  // namespace transformeter
