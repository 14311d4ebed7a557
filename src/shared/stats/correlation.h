// Correlation of pairs of numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace transformeter {

/// Pearson's r of the pairs chosen, as indices with repetition, as scipy.stats.pearsonr; nothing for fewer than two and
/// where either side is constant. Unequal sizes throw Error(kInternal).
std::optional<double> pearson(std::span<const double> x, std::span<const double> y,
                              std::span<const std::size_t> chosen);

/// Spearman's ρ: Pearson's r of the ranks among those chosen, where ties share their mean rank, as
/// scipy.stats.spearmanr.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y,
                               std::span<const std::size_t> chosen);

}  // namespace transformeter
