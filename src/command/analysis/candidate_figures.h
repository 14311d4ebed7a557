// The metrics by which the cases of a set are compared.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/training_candidates.h"

namespace transformeter {

inline constexpr std::string_view kConvergenceRate = "loss_convergence_rate";
inline constexpr std::string_view kConvergencePerSecond = "loss_convergence_rate ÷ latency";

/// What a model has learned depends on how many steps it took, so losses and their rates are taken over the first steps
/// that all cases have, from the stored losses; a case without stored losses has no such metric. Borrows the
/// candidates.
class CandidateFigures {
 public:
  explicit CandidateFigures(const std::vector<const Candidate*>& cases);

  /// A metric, or kConvergencePerSecond. Nothing for a case that cannot be used.
  std::optional<EvidenceFigure> figure(const Candidate& one, std::string_view criterion) const;
  std::string why_none(const Candidate& one, std::string_view criterion) const;
  bool is_between_replicates(const Candidate& one, std::string_view criterion) const;
  /// How many steps; nothing where all replicates of all cases took as many.
  std::optional<std::size_t> first_steps() const { return first_steps_; }

 private:
  std::optional<MetricRow> row(const Candidate& one, std::string_view metric) const;
  std::optional<EvidenceFigure> measured(const Candidate& one, std::string_view metric) const;
  std::optional<EvidenceFigure> rate_per_second(const Candidate& one) const;

  std::optional<std::size_t> first_steps_;
  std::map<const Candidate*, std::vector<MetricRow>> losses_;  // over the first steps
};

}  // namespace transformeter
