// Counts winners.
#include "analysis/choice_confidence.h"

#include <optional>

namespace transformeter {
namespace {

bool keeps_limits(const DrawnCase& one, double objective, RandomStream& random) {
  bool keeps = true;
  for (const DrawnLimit& limit : one.limits) {
    keeps = limit.is_kept_by(limit.is_of_objective ? objective : draw(limit.level, random)) && keeps;
  }
  return keeps;
}

}  // namespace

std::vector<double> win_shares(const std::vector<DrawnCase>& cases, const DrawOptions& options) {
  RandomStream random(options.seed, "choice_confidence");
  std::vector<std::size_t> wins(cases.size());
  for (std::size_t i = 0; i < options.draws; ++i) {
    std::optional<std::size_t> best;
    double best_value = 0;
    for (std::size_t place = 0; place < cases.size(); ++place) {
      const double value = draw(cases[place].objective, random);
      if (!keeps_limits(cases[place], value, random)) continue;
      const bool is_better = !best || (options.is_higher_better ? value > best_value : value < best_value);
      if (is_better) {
        best = place;
        best_value = value;
      }
    }
    if (best) ++wins[*best];
  }
  std::vector<double> shares;
  for (const std::size_t count : wins) {
    shares.push_back(static_cast<double>(count) / static_cast<double>(options.draws));
  }
  return shares;
}

}  // namespace transformeter
