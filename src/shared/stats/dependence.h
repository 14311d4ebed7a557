// How far neighbouring samples repeat each other, and whether two halves of a series differ.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace transformeter {

/// Below this many samples dependence cannot be estimated and is left untested (effective n = n).
inline constexpr std::size_t kMinSamplesForCorrelation = 20;
/// From this many samples on the whole correlation structure is summed; below, an AR(1) process is assumed.
inline constexpr std::size_t kMinSamplesForSpectrum = 100;

/// Lag-1 autocorrelation Σ(xᵢ − x̄)(xᵢ₊₁ − x̄) / Σ(xᵢ − x̄)², in [−1, 1]. Nothing for n < 3, a constant series or a
/// value that is not finite.
std::optional<double> lag1_autocorrelation(std::span<const double> values);

/// The lag-1 autocorrelation without its bias of about −(1 + 3ρ)/n (Marriott and Pope 1954, Kendall 1954), cut to
/// [0, 0.99]. 0 where lag1_autocorrelation has none.
double corrected_lag1(std::span<const double> values);

/// ρ of n samples with half its standard error on top, from 50 samples on times ρ, at most 0.99: as an estimate ρ is
/// uncertain, and one that is too low costs more coverage than one that is as much too high brings.
double cautious_rho(double rho, std::size_t n);

/// (1 + ρ) / (1 − ρ): how many times the variance of a mean grows when samples follow an AR(1) process.
double variance_inflation_of_ar1(double rho);

/// The number of independent samples whose mean would vary as much as the mean of `values`: in [1, n].
/// n < 20: n. n < 100: n (1 − ρ) / (1 + ρ) with the cautious_rho of the larger corrected_lag1 of the values and of
/// their normal scores. Else by Geyer's (1992) initial monotone sequence, and never above the AR(1) answer. n for a
/// constant series; 1 for values that are not finite.
double effective_n_of_mean(std::span<const double> values);

/// The same for the quantile p: of the indicator "at or below the quantile", which outliers do not move and which for
/// a median is less correlated than the values. n < 100: from ρ of the normal scores (and half its standard error on
/// top below 50), as if the series were a monotone function of a Gaussian AR(1) process; n < 5000: at most that.
double effective_n_of_quantile(std::span<const double> values, double p);

/// Two-sided p value of Mann-Whitney's U by the normal approximation with ties and continuity correction. `inflation`
/// ≥ 1 multiplies the variance of U, for correlated samples. Nothing when a side is empty or all values are tied or
/// one is not finite.
std::optional<double> mann_whitney_p(std::span<const double> first, std::span<const double> second,
                                     double inflation = 1);

}  // namespace transformeter
