// Ranks and normal scores of a series, for tests that must not depend on its distribution.
#pragma once

#include <span>
#include <vector>

namespace transformeter {

struct Ranks {
  std::vector<double> rank;  // 1-based, in the order of the values; tied values share their mean rank
  double tie_term = 0;       // Σ (t³ − t) over groups of t tied values
};

/// Values must be finite; empty gives no ranks.
Ranks rank_with_ties(std::span<const double> values);

/// Van der Waerden's scores Φ⁻¹(rank / (n + 1)): the series with a normal marginal in place of its own.
std::vector<double> normal_scores(std::span<const double> values);

}  // namespace transformeter
