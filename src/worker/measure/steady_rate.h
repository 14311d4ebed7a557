// Measures the rate of a piece of work, repeating it until its time is known precisely enough.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "stats/estimate.h"
#include "stats/stopping_rule.h"

namespace transformeter {

/// `amount` ÷ the median time of `work`, with the interval of that median; stops by `stopping`. Amounts and times are
/// positive. Nothing when the clock stands still.
std::optional<Estimate> steady_rate(const Clock& clock, const std::function<void()>& work, double amount,
                                    const StoppingOptions& stopping);

/// amount ÷ median of `count` calls after an untimed one; a short look, without an interval.
double quick_rate(const Clock& clock, const std::function<void()>& work, double amount, std::size_t count);

}  // namespace transformeter
