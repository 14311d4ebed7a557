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

/// A share near 0.95 is then known to ± 0.004.
inline constexpr std::size_t kChoiceDraws = 10'000;

struct DrawOptions {
  bool is_higher_better = false;
  std::size_t draws = kChoiceDraws;  // at least 1
  std::uint64_t seed = 0;
};

/// For each case the share, in 0 to 1, of draws in which it is the best of those that keep their limits. Each draw
/// draws every level again, objective and limits apart unless a limit is_of_objective. Of equal cases the first one
/// wins: let them be in order of preference. Deterministic for a seed.
std::vector<double> win_shares(const std::vector<DrawnCase>& cases, const DrawOptions& options);

}  // namespace transformeter
