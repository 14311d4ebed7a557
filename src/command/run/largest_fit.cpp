// A range with a value that fits below and one that does not above, until nothing lies between them.
#include "run/largest_fit.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace transformeter {
namespace {

class Search {
 public:
  Search(const LargestFitOptions& options, const std::function<Fit(std::int64_t)>& trial)
      : options_(options), trial_(trial) {}

  LargestFit run() {
    if (bracket() && halve()) found_.is_resolved = confirm();
    return found_;
  }

 private:
  // False: it is unclear, and the search over.
  bool look_at(std::int64_t value) {
    const Fit fit = trial_(value);
    trials_.emplace_back(value, fit);
    take(value, fit);
    return fit != Fit::kUnclear;
  }

  void take(std::int64_t value, Fit fit) {
    if (fit == Fit::kFits) found_.fits = std::max(found_.fits.value_or(value), value);
    if (fit == Fit::kTooLarge) found_.too_large = std::min(found_.too_large.value_or(value), value);
  }

  bool is_bracketed() const {
    const bool has_top = found_.too_large || found_.fits == options_.largest;
    const bool has_bottom = found_.fits || found_.too_large == options_.smallest;
    return has_top && has_bottom;
  }

  bool bracket() {
    if (!look_at(options_.first)) return false;
    // A forecast is near: the first step is small.
    for (std::int64_t step = std::max<std::int64_t>(1, options_.first / 16); !is_bracketed(); step *= 2) {
      const std::int64_t next = found_.too_large ? *found_.too_large - step : *found_.fits + step;
      if (!look_at(std::clamp(next, options_.smallest, options_.largest))) return false;
    }
    return true;
  }

  bool halve() {
    while (found_.fits && found_.too_large && *found_.too_large - *found_.fits > 1) {
      if (!look_at(*found_.fits + (*found_.too_large - *found_.fits) / 2)) return false;
    }
    return true;
  }

  bool confirm() {
    return (!found_.fits || came_out_again(*found_.fits, Fit::kFits)) &&
           (!found_.too_large || came_out_again(*found_.too_large, Fit::kTooLarge));
  }

  bool came_out_again(std::int64_t value, Fit before) {
    const Fit fit = trial_(value);
    if (fit == before) return true;
    if (fit == Fit::kUnclear) return false;
    found_ = {};
    found_.changed = value;
    for (const auto& [tried, came_of_it] : trials_) {
      if (tried != value) take(tried, came_of_it);
    }
    return false;
  }

  const LargestFitOptions& options_;
  const std::function<Fit(std::int64_t)>& trial_;
  std::vector<std::pair<std::int64_t, Fit>> trials_;  // but for those that confirm
  LargestFit found_;
};

}  // namespace

LargestFit find_largest_fit(const LargestFitOptions& options, const std::function<Fit(std::int64_t)>& trial) {
  return Search(options, trial).run();
}

}  // namespace transformeter
