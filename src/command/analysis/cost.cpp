// Costs are times and rates, multiplied by a price: they have their intervals and their doubts.
#include "analysis/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/case_label.h"
#include "analysis/metric_change.h"
#include "analysis/work_groups.h"
#include "base/error.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr double kSecondsPerHour = 3600;

const MetricRow* row_with_value(const AnalyzedCase& one, std::string_view metric, std::string_view statistic = "") {
  const MetricRow* row = find_metric(one.analysis.metrics, metric, statistic);
  return row != nullptr && row->value && *row->value > 0 && std::isfinite(*row->value) ? row : nullptr;
}

// Of so many units of a time.
CostFigure of_time(const MetricRow& row, double per_second, double count) {
  const auto times = [&](std::optional<double> seconds) {
    return seconds ? std::optional(*seconds * per_second * count) : std::nullopt;
  };
  return {*times(row.value), times(row.low), times(row.high), row.interval, row.n};
}

// Of so many units at a rate; the higher the rate, the lower the cost.
CostFigure of_rate(const MetricRow& row, double per_second, double count) {
  const auto over = [&](std::optional<double> rate) {
    return rate && *rate > 0 ? std::optional(count * per_second / *rate) : std::nullopt;
  };
  return {*over(row.value), over(row.high), over(row.low), row.interval, row.n};
}

void add_figures(CaseCost& cost, const CostOptions& options) {
  constexpr double kMillion = 1e6;
  constexpr double kThousand = 1e3;
  const AnalyzedCase& one = *cost.one;
  const double per_second = cost.price->per_hour / kSecondsPerHour;
  const Json& requested = one.record->requested;
  // N units cost N times the mean.
  const MetricRow* time = row_with_value(one, "latency", "mean");
  if (is_generate(requested)) {
    const double new_tokens =
        requested.value("new_tokens", Json()).is_number() ? requested.at("new_tokens").get<double>() : 0;
    if (time != nullptr && new_tokens > 0) {
      cost.figures.emplace_back(CostUnit::kMillionTokens, of_time(*time, per_second, kMillion / new_tokens));
      cost.figures.emplace_back(CostUnit::kRequest, of_time(*time, per_second, 1));
      if (options.samples) cost.total = of_time(*time, per_second, *options.samples);
    }
    return;
  }
  if (const MetricRow* rate = row_with_value(one, "throughput_useful_tokens")) {
    cost.figures.emplace_back(CostUnit::kMillionTokens, of_rate(*rate, per_second, kMillion));
  }
  if (const MetricRow* rate = row_with_value(one, "throughput_samples")) {
    cost.figures.emplace_back(CostUnit::kThousandSamples, of_rate(*rate, per_second, kThousand));
    if (options.samples) cost.total = of_rate(*rate, per_second, *options.samples);
  }
  if (is_train(requested) && time != nullptr) {
    cost.figures.emplace_back(CostUnit::kStep, of_time(*time, per_second, 1));
  }
}

// What cannot be told is not kept: a limit is a promise.
LimitAnswer limit_answer(const AnalyzedCase& one, double limit_s, std::string& why_not) {
  const MetricRow* p95 = row_with_value(one, "latency", "p95");
  if (p95 == nullptr) {
    why_not = why_missing(one, "latency", "p95");
    return LimitAnswer::kUndecided;
  }
  const bool has_interval = p95->low && p95->high;
  if (p95->high.value_or(*p95->value) <= limit_s) {
    return has_interval ? LimitAnswer::kKept : LimitAnswer::kKeptWithoutInterval;
  }
  if (p95->low.value_or(*p95->value) > limit_s) {
    why_not = "its p95 latency is above the limit";
    return LimitAnswer::kBroken;
  }
  why_not = "its p95 latency is not told apart from the limit";
  return LimitAnswer::kUndecided;
}

CaseCost cost_of(const PricedCase& priced, const CostOptions& options) {
  CaseCost cost;
  cost.one = priced.one;
  cost.price = priced.price;
  if (!priced.one->is_ok()) {
    cost.why_not = std::string(status_word(*priced.one->record));
    return cost;
  }
  add_figures(cost, options);
  if (priced.one->analysis.verdict.level == VerdictLevel::kInvalid) cost.why_not = "it is invalid";
  if (options.latency_p95_s) {
    std::string broken;
    cost.limit = limit_answer(*priced.one, *options.latency_p95_s, broken);
    if (cost.why_not.empty()) cost.why_not = broken;
  }
  if (cost.figures.empty() && cost.why_not.empty()) cost.why_not = "it has no time";
  return cost;
}

// Sure, by intervals that hold what compare asks of them: what one process shows says nothing of the next.
bool is_below(const CaseCost& one, const CaseCost& other, CostUnit unit) {
  const CostFigure& low = *one.figure(unit);
  const CostFigure& high = *other.figure(unit);
  const auto is_between = [&](IntervalKind kind) { return low.interval == kind && high.interval == kind; };
  const bool is_sound = is_between(IntervalKind::kBetweenReplicates) || is_between(IntervalKind::kBetweenSlices);
  return is_sound && !one.one->is_doubtful() && !other.one->is_doubtful() && low.high && high.low &&
         *high.low > *low.high;
}

CostUnit unit_of_all(const std::vector<CaseCost>& costs, bool has_models) {
  for (const CostUnit unit : kCostUnits) {
    const bool is_generated = is_generate(costs.front().one->record->requested);
    if (unit == CostUnit::kMillionTokens && has_models && !is_generated) continue;
    const bool all_have = std::all_of(costs.begin(), costs.end(), [&](const CaseCost& one) {
      return !one.can_be_chosen() || one.figure(unit) != nullptr;
    });
    if (all_have) return unit;
  }
  return CostUnit::kMillionTokens;
}

void rank(CostGroup& group, const CostOptions& options) {
  // Tokens of other tokenizers are others.
  std::set<std::string> models;
  for (const CaseCost& one : group.costs) models.insert(setting_value_text(*one.one->record, "model"));
  group.per = options.per.value_or(unit_of_all(group.costs, models.size() > 1));
  for (CaseCost& one : group.costs) {
    if (one.why_not.empty() && one.figure(group.per) == nullptr) {
      one.why_not = fmt::format("it has no cost per {}", name_of(group.per));
    }
  }
  const auto key = [&](const CaseCost& one) {
    return std::pair(!one.can_be_chosen(), one.can_be_chosen() ? one.figure(group.per)->value : 0);
  };
  std::stable_sort(group.costs.begin(), group.costs.end(),
                   [&](const CaseCost& left, const CaseCost& right) { return key(left) < key(right); });
  if (group.costs.size() < 2 || !group.costs[1].can_be_chosen()) return;
  group.has_runner_up = true;
  const CostFigure& first = *group.costs.front().figure(group.per);
  group.is_decided = true;
  for (std::size_t i = 1; i < group.costs.size() && group.costs[i].can_be_chosen(); ++i) {
    const CaseCost& other = group.costs[i];
    group.is_decided = group.is_decided && is_below(group.costs.front(), other, group.per);
    const bool is_other_price = other.price->machine != group.costs.front().price->machine ||
                                other.price->per_hour != group.costs.front().price->per_hour;
    if (is_other_price && !group.break_even && first.value > 0) {
      group.break_even = group.costs.front().price->per_hour * other.figure(group.per)->value / first.value;
    }
  }
}

void check_currencies(const std::vector<PricedCase>& cases) {
  for (const PricedCase& priced : cases) {
    if (priced.price->currency == cases.front().price->currency) continue;
    throw Error(ErrorKind::kBadInput, fmt::format("prices in {} and in {} cannot be compared; give all in one currency",
                                                  cases.front().price->currency, priced.price->currency));
  }
}

}  // namespace

std::string_view name_of(CostUnit unit) {
  switch (unit) {
    case CostUnit::kMillionTokens:
      return "tokens";
    case CostUnit::kThousandSamples:
      return "samples";
    case CostUnit::kRequest:
      return "request";
    case CostUnit::kStep:
      return "step";
  }
  return "tokens";
}

std::vector<std::string> cost_unit_names() {
  std::vector<std::string> names;
  for (const CostUnit unit : kCostUnits) names.emplace_back(name_of(unit));
  return names;
}

std::optional<CostUnit> cost_unit_named(std::string_view name) {
  const auto* const found =
      std::find_if(kCostUnits.begin(), kCostUnits.end(), [&](CostUnit unit) { return name_of(unit) == name; });
  return found == kCostUnits.end() ? std::nullopt : std::optional(*found);
}

std::string unit_text(CostUnit unit, bool is_generate) {
  switch (unit) {
    case CostUnit::kMillionTokens:
      return is_generate ? "million new tokens" : "million useful tokens";
    case CostUnit::kThousandSamples:
      return "thousand samples";
    case CostUnit::kRequest:
      return "request";
    case CostUnit::kStep:
      return "step";
  }
  return "";
}

const CostFigure* CaseCost::figure(CostUnit unit) const {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const auto& entry) { return entry.first == unit; });
  return found == figures.end() ? nullptr : &found->second;
}

std::string label_in(const CostGroup& group, const CaseCost& cost) {
  const bool has_machines = std::any_of(group.costs.begin(), group.costs.end(), [&](const CaseCost& one) {
    return one.price->machine != group.costs.front().price->machine;
  });
  return has_machines && !cost.price->machine.empty() ? fmt::format("{} on {}", cost.one->label, cost.price->machine)
                                                      : cost.one->label;
}

CostGroup ranked_costs(const std::vector<PricedCase>& cases, const CostOptions& options) {
  check_currencies(cases);
  CostGroup group;
  for (const PricedCase& priced : cases) group.costs.push_back(cost_of(priced, options));
  rank(group, options);
  return group;
}

std::vector<CostGroup> costs_of(const std::vector<PricedCase>& cases, const CostOptions& options) {
  check_currencies(cases);
  std::vector<const CaseRecord*> records;
  for (const PricedCase& priced : cases) records.push_back(priced.one->record);
  std::vector<CostGroup> groups;
  for (const WorkGroup& work : work_groups(records)) {
    std::vector<PricedCase> members;
    for (const std::size_t member : work.members) members.push_back(cases[member]);
    groups.push_back(ranked_costs(members, options));
    groups.back().label = work.label;
  }
  return groups;
}

}  // namespace transformeter
