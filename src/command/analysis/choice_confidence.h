// How sure it is that a case is the best of several, from draws of where their levels may lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/level.h"

namespace transformeter {

/// What a drawn level must keep for its case to count.
struct DrawnLimit {
  Level level;
  double bound = 0;
  bool is_upper = true;          // the level may not exceed it; else may not be below it
  bool is_of_objective = false;  // it limits the objective itself, of which there is one draw

  bool is_kept_by(double value) const { return is_upper ? value <= bound : value >= bound; }
};

struct DrawnCase {
  Level objective;
  std::vector<DrawnLimit> limits;
};

struct DrawOptions {
  bool is_higher_better = false;
  std::size_t draws = 10'000;  // a share near 0.95 is then known to ± 0.004
  std::uint64_t seed = 0;
};

struct WinShares {
  std::vector<double> best;    // of draws in which the case is the best of those that keep their limits
  std::vector<double> broken;  // in which it breaks a limit of its own
};

/// One share for each case, in 0 to 1. Each draw draws every level again, objective and limits apart
/// unless a limit is_of_objective. Of equal cases
/// the first one wins: let them be in order of preference. Deterministic for a seed.
WinShares win_shares(const std::vector<DrawnCase>& cases, const DrawOptions& options);

}  // namespace transformeter
