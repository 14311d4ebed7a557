// Figures of one case: its samples in order, with what was not counted, and how they are distributed.
#pragma once

#include <vector>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

/// More samples than this are drawn as the least and the greatest of equal stretches; so are more steps of the
/// distribution.
inline constexpr std::size_t kMaxMarks = 1200;

/// The times that count, of all slices of replicates that are ok, ascending; empty for a case without samples.
std::vector<double> counted_samples(const AnalyzedCase& one);

/// The empirical distribution of ascending values, one at least: shares from 0 to 1 over values.
PlotCurve distribution_curve(const std::vector<double>& sorted);

/// The samples of all slices of replicates that are ok, one after the other, warm-up and what was cut after it shaded
/// up to `steady_from`; the empirical distribution of the samples that count, with the percentiles they carry; and of a
/// training how its loss fell. Empty for a case without finite samples.
std::vector<Figure> sample_figures(const AnalyzedCase& one);

/// The cases whose figures are drawn, at most `most`, in reading order: doubtful and invalid ones before valid ones,
/// else as the run reads. Cases without samples are not among them.
std::vector<const AnalyzedCase*> cases_with_figures(const AnalyzedRun& run, std::size_t most);

}  // namespace transformeter
