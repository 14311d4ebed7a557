// What stored cases cost at the price of a machine.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// Of one machine for an hour.
struct Price {
  std::string machine;                   // empty: a price without a name
  double per_hour = 0;                   // above 0, in `currency`
  std::string currency = "USD";          // a code of ISO 4217
  std::string source;                    // where it was published; empty: unknown
  std::string date;                      // YYYY-MM-DD; empty: unknown
  std::optional<bool> is_outdated = {};  // older than a year; nothing: unknown
};

/// What is paid for.
enum class CostUnit { kMillionTokens, kThousandSamples, kRequest, kStep };

inline constexpr std::array kCostUnits{CostUnit::kMillionTokens, CostUnit::kThousandSamples, CostUnit::kRequest,
                                       CostUnit::kStep};

/// "tokens", "samples", "request", "step".
std::string_view name_of(CostUnit unit);
std::vector<std::string> cost_unit_names();
std::optional<CostUnit> cost_unit_named(std::string_view name);
/// "million useful tokens"; of the scenario generate "million new tokens".
std::string unit_text(CostUnit unit, bool is_generate);

/// In the price's currency, with the interval of the time or rate it is made from.
struct CostFigure {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  IntervalKind interval = IntervalKind::kNone;
  std::size_t n = 0;  // of the time or rate
};

/// A percentile over slices or replicates has no interval: then its value answers, and that is told.
enum class LimitAnswer { kNone, kKept, kKeptWithoutInterval, kBroken, kUndecided };

struct CaseCost {
  const AnalyzedCase* one = nullptr;
  const Price* price = nullptr;
  std::vector<std::pair<CostUnit, CostFigure>> figures;  // those that its scenario has
  std::optional<CostFigure> total;                       // of CostOptions::samples
  LimitAnswer limit = LimitAnswer::kNone;
  std::string why_not;  // it cannot be chosen: not ok, invalid, without a time, the limit; empty: it can

  bool can_be_chosen() const { return why_not.empty(); }
  const CostFigure* figure(CostUnit unit) const;
};

struct CostOptions {
  std::optional<double> latency_p95_s = {};  // cases that may take longer cannot be chosen
  std::optional<double> samples = {};        // how many the total is for
  std::optional<CostUnit> per = {};          // by which cases are ranked; nothing: the first that all of a group have
};

/// Cases of the same work, but for the model and the batch size.
struct CostGroup {
  std::string label;  // "sequence_classification, batch, t128"
  CostUnit per = CostUnit::kMillionTokens;
  std::vector<CaseCost> costs;  // those that can be chosen by rising cost, then the others
  bool has_runner_up = false;   // the second can be chosen, too
  bool is_decided = false;  // the first one's interval ends before that of all others begins, both between replicates
                            // or between slices of one run, and no case in doubt
  std::optional<double> break_even;  // price per hour of the first one's machine at which it costs what the cheapest
                                     // case at another price does
};

/// A case and the price of the machine that is to do its work, at the speed of the one it was measured on.
struct PricedCase {
  const AnalyzedCase* one = nullptr;
  const Price* price = nullptr;
};

/// The case's label, with its machine where the group's prices are of several.
std::string label_in(const CostGroup& group, const CaseCost& cost);

/// Cases of one group by rising cost, without a label; at least one. Throws Error(kBadInput) for prices in different
/// currencies.
CostGroup ranked_costs(const std::vector<PricedCase>& cases, const CostOptions& options);

/// In the order in which groups are met. Throws Error(kBadInput) for prices in different currencies.
std::vector<CostGroup> costs_of(const std::vector<PricedCase>& cases, const CostOptions& options);

}  // namespace transformeter
