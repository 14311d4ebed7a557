// A row or an object for each score.
#include "cli/score_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/text_table.h"

namespace transformeter {
namespace {

std::string shown_interval(const Score& score) {
  const auto& interval = score.estimate.interval;
  return interval ? fmt::format("{:.6f} to {:.6f}", interval->low, interval->high) : score.why_no_interval;
}

bool is_bootstrap(const Score& score) {
  return score.interval_method == IntervalMethod::kPercentileBootstrap;
}

std::string shown_method(const Score& score) {
  return is_bootstrap(score) ? fmt::format("bootstrap of {}", score.interval_units) : "Wilson";
}

Json method_json(const Score& score) {
  Json json = {{"name", "wilson"}, {"level", kIntervalLevel}, {"units", score.interval_units}};
  if (!is_bootstrap(score)) return json;
  json["name"] = "percentile_bootstrap";
  json["resamples"] = kScoreBootstrap.resamples;
  json["seed"] = kScoreBootstrap.seed;
  return json;
}

Json json_of(const Score& score) {
  Json json = {{"score", score.name},
               {"of", score.group.empty() ? "all" : score.group},
               {"value", std::isfinite(score.estimate.value) ? Json(score.estimate.value) : Json()},
               {"n", score.estimate.n},
               {"n_counts", score.counts},
               {"interval", Json()},
               {"interval_method", method_json(score)},
               {"why_no_interval", Json()}};
  if (score.estimate.interval) {
    json["interval"] = {{"low", score.estimate.interval->low}, {"high", score.estimate.interval->high}};
  } else {
    json["why_no_interval"] = score.why_no_interval;
  }
  return json;
}

}  // namespace

std::string score_table(const ScoreReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Score& score : report.scores) {
    const double value = score.estimate.value;
    rows.push_back({score.name, score.group.empty() ? "all" : score.group,
                    std::isfinite(value) ? fmt::format("{:.6f}", value) : "-", shown_interval(score),
                    shown_method(score), fmt::format("{} {}", score.estimate.n, score.counts)});
  }
  std::string text = fmt::format("{} ({})\n", name_of(report.task), report.rules);
  text += text_table({{"score"}, {"of"}, {"value", true}, {"95 % interval", true}, {"by"}, {"n"}}, rows);
  if (std::any_of(report.scores.begin(), report.scores.end(), is_bootstrap)) {
    text += fmt::format("bootstrap: percentiles of {} resamples, seed {}\n", kScoreBootstrap.resamples,
                        kScoreBootstrap.seed);
  }
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
  return text;
}

Json scores_json(const ScoreReport& report) {
  Json scores = Json::array();
  for (const Score& score : report.scores) scores.push_back(json_of(score));
  return scores;
}

std::string score_line(const ScoreReport& report) {
  std::string line;
  for (const Score& score : report.scores) {
    const double value = score.estimate.value;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", score.name,
                        std::isfinite(value) ? fmt::format("{:.4f}", value) : "-");
    if (const auto& interval = score.estimate.interval) {
      line += fmt::format(" ({:.4f} to {:.4f})", interval->low, interval->high);
    }
  }
  return line;
}

}  // namespace transformeter
