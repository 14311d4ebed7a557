// The arithmetic of measurement.md 7.
#include "run/budget.h"

#include <algorithm>

namespace transformeter {
namespace {

constexpr Seconds kDefaultLimit{30};
constexpr Seconds kMinMeasuring{1};  // the stopping rule looks no earlier
constexpr Seconds kMinSlice{0.2};

}  // namespace

std::optional<Seconds> Budget::left() const {
  if (!options_.total) return std::nullopt;
  return std::max(Seconds(0), *options_.total - Seconds(clock_.now() - options_.started));
}

std::optional<MeasuringLimit> Budget::next(std::size_t planned, Seconds reserved) const {
  const Seconds limit = options_.case_limit.value_or(kDefaultLimit);
  const auto remaining = left();
  if (!remaining) return MeasuringLimit{limit, options_.case_limit.has_value(), limit};
  const Seconds least = std::min(limit, kMinMeasuring);
  if (*remaining < startup_cost_ + least) return std::nullopt;
  const Seconds shared = *remaining - std::min(reserved, *remaining / 2);
  const Seconds share = shared / static_cast<double>(std::max<std::size_t>(1, planned)) - startup_cost_;
  const Seconds now = std::clamp(share, least, limit);
  return MeasuringLimit{now, true, std::clamp(now * 1.5, now, std::max(now, *remaining - startup_cost_))};
}

std::optional<Seconds> Budget::next_slice(std::size_t slices, const Starts& starts, Seconds longest,
                                          Seconds reserved) const {
  const auto remaining = left();
  if (!remaining) return longest;
  const Seconds least = std::min(longest, kMinSlice);
  const Seconds starting = startup_cost_ * static_cast<double>(starts.count);
  const Seconds slice_cost = slice_costs_ / static_cast<double>(std::max<std::size_t>(1, slices_));
  if (*remaining < (starts.now == StartsNow::kYes ? startup_cost_ : slice_cost) + least) return std::nullopt;
  const Seconds shared = *remaining - std::min(reserved, *remaining / 2) - starting;
  return std::clamp(shared / static_cast<double>(std::max<std::size_t>(1, slices)) - slice_cost, least, longest);
}

MeasuringTime Budget::longest(std::size_t planned) const {
  const Seconds whole = options_.case_limit.value_or(kDefaultLimit) * static_cast<double>(planned);
  return {std::min(whole, left().value_or(whole)), options_.total || options_.case_limit};
}

void Budget::slice_spent(Seconds whole, Seconds length) {
  slice_costs_ += std::max(Seconds(0), whole - length);
  ++slices_;
}

void Budget::spent(Seconds whole, Seconds measured) {
  startup_cost_ = std::max(startup_cost_, whole - measured);
}

}  // namespace transformeter
