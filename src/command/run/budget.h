// Sharing out a run's time: how long the next replicate may measure, and whether there is time for it at all.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"
#include "base/units.h"

namespace transformeter {

struct BudgetOptions {
  std::optional<Seconds> total;       // nothing: no budget
  std::optional<Seconds> case_limit;  // the user's own limit of measuring, of each replicate
  Clock::TimePoint started;           // when the budget began to run
};

/// The limit of measuring of one replicate.
struct MeasuringLimit {
  Seconds limit{30};
  bool is_hard = false;  // not stretched to ten samples
  Seconds longest{30};   // where only so much holds six cycles: a budget's share may borrow half of itself
};

/// Of all replicates.
struct MeasuringTime {
  Seconds most{0};
  bool is_hard = false;  // slow cases do not stretch it
};

/// Whether the next slice starts a process.
enum class StartsNow { kNo, kYes };

struct Starts {
  std::size_t count = 0;  // of processes still to be started, the next slice's included
  StartsNow now = StartsNow::kNo;
};

/// Without a budget every replicate gets the user's limit, hard, or 30 s, which a slow case may stretch to ten samples.
/// With one, a replicate gets an equal share of what is left over those still planned, less what starting a worker
/// costs, at most that limit and at least a second; hard, so that the budget holds. What a cheap replicate leaves goes
/// to those after it. The start-up cost is the largest seen so far.
class Budget {
 public:
  Budget(const Clock& clock, const BudgetOptions& options) : clock_(clock), options_(options) {}

  /// Nothing when too little is left to start a worker and measure for a second. `planned` ≥ 1 counts the replicates
  /// still to come, this one included; `reserved` is kept for references still to be made, up to half of what is left.
  std::optional<MeasuringLimit> next(std::size_t planned, Seconds reserved = Seconds(0)) const;
  /// The length of the next of `slices` still to come, with so many processes still to be started: `longest`, or an
  /// equal share of what is left where that is less, at least a fifth of a second. Nothing where that much is not left.
  std::optional<Seconds> next_slice(std::size_t slices, const Starts& starts, Seconds longest,
                                    Seconds reserved = Seconds(0)) const;
  /// What measuring `planned` replicates takes at most.
  MeasuringTime longest(std::size_t planned) const;
  /// After each replicate that measured: its whole time, and that of measuring and scoring.
  void spent(Seconds whole, Seconds measured);
  /// After each slice of a parked worker: its whole time, and the length it was to have.
  void slice_spent(Seconds whole, Seconds length);
  bool is_limited() const { return options_.total.has_value(); }
  /// Never negative; nothing without a budget.
  std::optional<Seconds> left() const;

 private:
  const Clock& clock_;
  BudgetOptions options_;
  Seconds startup_cost_{0};
  Seconds slice_costs_{0};  // of all slices: warming up again, and the last sample to its end
  std::size_t slices_ = 0;
};

}  // namespace transformeter
