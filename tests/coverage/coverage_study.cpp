// How often the nominal 95 % intervals that `show` prints hold the truth: thousands of simulated runs through the
// analysis itself, for fixed counts and with the stopping rule. Prints Markdown tables.
// Usage: coverage-study [--trials N] [--seed N] [fixed|cycles|replicates|stopping|noise|rounds|pairs|live]...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "coverage/noise_study.h"
#include "coverage/simulation.h"
#include "stats/stopping_rule.h"

namespace transformeter {
namespace {

constexpr std::array<std::size_t, 7> kCounts{10, 14, 20, 50, 100, 200, 1000};
constexpr std::array<double, 4> kRhos{0, 0.3, 0.5, 0.7};
constexpr std::array<Shape, 3> kShapes{Shape::kNormal, Shape::kLognormal, Shape::kBimodal};

struct Options {
  std::size_t trials = 4000;
  std::uint64_t seed = 1;
  std::vector<std::string> studies;
};

// A skewed lognormal; modes 20 % apart.
double usual_spread(Shape shape) {
  if (shape == Shape::kLognormal) return 0.3;
  return shape == Shape::kBimodal ? 0.02 : 0.05;
}

std::string percent(const Coverage& coverage) {
  const auto share = coverage.share();
  if (!share || coverage.given() < coverage.asked() / 20) return "–";
  const double given = static_cast<double>(coverage.given()) / static_cast<double>(coverage.asked());
  // The share of runs that got an interval matters where it is not nearly all.
  return given < 0.9 ? fmt::format("{:.1f} ({:.0f})", 100 * *share, 100 * given) : fmt::format("{:.1f}", 100 * *share);
}

RandomStream stream_of(const Options& options, const std::string& name) {
  return RandomStream(options.seed, name);
}

void study_fixed(const Options& options) {
  const std::array<std::pair<const char*, double>, 4> quantiles{
      {{"median", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}}};
  fmt::print(
      "| distribution | n | ρ | median | mean | throughput | p90 | p95 | p99 "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Shape shape : kShapes) {
    for (const std::size_t n : kCounts) {
      for (const double rho : kRhos) {
        const Population population{shape, usual_spread(shape), rho};
        RandomStream random = stream_of(options, fmt::format("fixed/{}/{}/{}", name_of(shape), n, rho));
        std::map<std::string, Coverage> coverage;
        for (std::size_t i = 0; i < options.trials; ++i) {
          const CaseAnalysis analysis = analyze({simulated_replicate(draw(population, n, random))});
          for (const auto& [name, p] : quantiles) {
            coverage[name].add(find_metric(analysis.metrics, "latency", name), population.quantile(p));
          }
          coverage["mean"].add(find_metric(analysis.metrics, "latency", "mean"), population.mean());
          coverage["throughput"].add(find_metric(analysis.metrics, "throughput_samples", "ratio"),
                                     8 / population.mean());
        }
        fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name_of(shape), n, rho,
                   percent(coverage["median"]), percent(coverage["mean"]), percent(coverage["throughput"]),
                   percent(coverage["p90"]), percent(coverage["p95"]), percent(coverage["p99"]));
        std::fflush(stdout);
      }
    }
  }
}

// Cycles of four batches of unequal size; a cycle's batches share its factor, whose correlation is between cycles.
void study_cycles(const Options& options) {
  constexpr std::array<double, 4> kSizes{0.4, 0.8, 1.2, 1.6};
  fmt::print("| distribution | cycles | ρ | cycle_time | throughput |\n|---|---|---|---|---|\n");
  for (const Shape shape : kShapes) {
    for (const std::size_t n :
         {std::size_t{3}, std::size_t{6}, std::size_t{10}, std::size_t{20}, std::size_t{50}, std::size_t{100}}) {
      for (const double rho : kRhos) {
        const Population population{shape, usual_spread(shape), rho};
        RandomStream random = stream_of(options, fmt::format("cycles/{}/{}/{}", name_of(shape), n, rho));
        Coverage time;
        Coverage rate;
        for (std::size_t i = 0; i < options.trials; ++i) {
          std::vector<double> seconds;
          for (const double factor : draw(population, n, random)) {
            for (const double size : kSizes) seconds.push_back(size * factor);
          }
          const CaseAnalysis analysis = analyze({simulated_replicate(seconds, kSizes.size())}, kSizes.size());
          time.add(find_metric(analysis.metrics, "cycle_time", "mean"), 4 * population.mean());
          rate.add(find_metric(analysis.metrics, "throughput_samples", "ratio"), 8 / population.mean());
        }
        fmt::print("| {} | {} | {} | {} | {} |\n", name_of(shape), n, rho, percent(time), percent(rate));
        std::fflush(stdout);
      }
    }
  }
}

// Processes whose levels differ by 2 %, 20 samples each.
void study_replicates(const Options& options) {
  fmt::print("| distribution | replicates | median | mean | throughput |\n|---|---|---|---|---|\n");
  constexpr double kBetween = 0.02;
  for (const Shape shape : kShapes) {
    for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{10}}) {
      const Population population{shape, usual_spread(shape), 0.3};
      RandomStream random = stream_of(options, fmt::format("replicates/{}/{}", name_of(shape), count));
      Coverage median;
      Coverage mean;
      Coverage rate;
      for (std::size_t i = 0; i < options.trials; ++i) {
        std::vector<ReplicateRecord> replicates;
        for (std::size_t k = 0; k < count; ++k) {
          const double level = 1 + kBetween * random.normal();
          std::vector<double> seconds = draw(population, 20, random);
          for (double& value : seconds) value *= level;
          replicates.push_back(simulated_replicate(std::move(seconds)));
        }
        const CaseAnalysis analysis = analyze(std::move(replicates));
        median.add(find_metric(analysis.metrics, "latency", "median"), population.quantile(0.5));
        mean.add(find_metric(analysis.metrics, "latency", "mean"), population.mean());
        rate.add(find_metric(analysis.metrics, "throughput_samples", "ratio"), 8 / population.mean());
      }
      fmt::print("| {} | {} | {} | {} | {} |\n", name_of(shape), count, percent(median), percent(mean), percent(rate));
      std::fflush(stdout);
    }
  }
}

// Batches of 0.2 s, measured until the rule stops.
std::vector<double> measured_by_rule(const Population& population, RandomStream& random) {
  constexpr double kBatchSeconds = 0.2;
  PopulationStream source(population, random);
  StoppingRule rule{StoppingOptions{}};
  std::vector<double> seconds;
  double elapsed = 0;
  StopDecision decision = StopDecision::kContinue;
  while (decision == StopDecision::kContinue) {
    seconds.push_back(kBatchSeconds * source.next());
    elapsed += seconds.back();
    decision = rule.add(seconds.back(), elapsed);
  }
  return seconds;
}

void study_stopping(const Options& options) {
  fmt::print(
      "| distribution | spread | ρ | mean n | stops below 20, % | all | below 20 | 20 to 49 | from 50 |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const Shape shape : kShapes) {
    for (const double spread : {0.01, 0.02, 0.05, 0.1}) {
      for (const double rho : kRhos) {
        // A bimodal's deviation is 4.7 spreads.
        const Population population{shape, shape == Shape::kBimodal ? spread / 4 : spread, rho};
        RandomStream random = stream_of(options, fmt::format("stopping/{}/{}/{}", name_of(shape), spread, rho));
        Coverage all;
        std::array<Coverage, 3> by_count;
        double samples = 0;
        for (std::size_t i = 0; i < options.trials; ++i) {
          std::vector<double> seconds = measured_by_rule(population, random);
          const std::size_t n = seconds.size();
          samples += static_cast<double>(n) / static_cast<double>(options.trials);
          const CaseAnalysis analysis = analyze({simulated_replicate(std::move(seconds))});
          const MetricRow* row = find_metric(analysis.metrics, "latency", "median");
          all.add(row, 0.2 * population.quantile(0.5));
          by_count[n < 20 ? 0 : n < 50 ? 1 : 2].add(row, 0.2 * population.quantile(0.5));
        }
        fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {} |", name_of(shape), spread, rho, samples,
                   100.0 * static_cast<double>(by_count[0].asked()) / static_cast<double>(options.trials),
                   percent(all));
        for (const Coverage& part : by_count) {
          fmt::print(" {} |", part.asked() < options.trials / 50 ? "–" : percent(part));
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }
}

Options parse_arguments(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--trials" && arguments[i] != "--seed") {
      options.studies.push_back(arguments[i]);
      continue;
    }
    const auto number = i + 1 < arguments.size() ? parse_integer(arguments[i + 1]) : std::nullopt;
    if (!number || *number < 1) throw bad_value(arguments[i], "", "a number of 1 or more");
    if (arguments[i] == "--trials") {
      options.trials = static_cast<std::size_t>(*number);
    } else {
      options.seed = static_cast<std::uint64_t>(*number);
    }
    ++i;
  }
  if (options.studies.empty())
    options.studies = {"fixed", "cycles", "replicates", "stopping", "noise", "rounds", "pairs", "live"};
  return options;
}

// A run takes a thousand times as long as a series.
std::size_t runs_of(const Options& options) {
  return std::max<std::size_t>(1, options.trials / 20);
}

void study(const Options& options) {
  const std::map<std::string, void (*)(const Options&)> studies{
      {"fixed", study_fixed},
      {"cycles", study_cycles},
      {"replicates", study_replicates},
      {"stopping", study_stopping},
      {"noise", [](const Options& given) { study_noise(runs_of(given), given.seed); }},
      {"rounds", [](const Options& given) { study_rounds(runs_of(given), given.seed); }},
      {"pairs", [](const Options& given) { study_pairs(runs_of(given), given.seed); }},
      {"live", [](const Options& given) { study_live(runs_of(given), given.seed); }}};
  for (const std::string& name : options.studies) {
    const auto found = studies.find(name);
    if (found == studies.end())
      throw unknown_value("study", name,
                          {"fixed", "cycles", "replicates", "stopping", "noise", "rounds", "pairs", "live"});
    fmt::print("\n### {}, {} trials, seed {}\n", name, options.trials, options.seed);
    found->second(options);
  }
}

}  // namespace
}  // namespace transformeter

int main(int argument_count, char** arguments) {
  try {
    transformeter::study(transformeter::parse_arguments({arguments + 1, arguments + argument_count}));
    return 0;
  } catch (const transformeter::Error& error) {
    fmt::print(stderr, "coverage-study: {}\n", error.what());
    return 3;
  }
}
