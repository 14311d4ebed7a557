// Ranking by one sort of indices.
#include "stats/ranks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "stats/student_t.h"

namespace transformeter {

Ranks rank_with_ties(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks;
  ranks.rank.resize(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks.rank[order[i]] = shared;
    const double tied = static_cast<double>(end - begin);
    ranks.tie_term += tied * tied * tied - tied;
    begin = end;
  }
  return ranks;
}

std::vector<double> normal_scores(std::span<const double> values) {
  std::vector<double> scores = rank_with_ties(values).rank;
  const double n = static_cast<double>(values.size());
  for (double& score : scores) score = normal_quantile(score / (n + 1));
  return scores;
}

}  // namespace transformeter
