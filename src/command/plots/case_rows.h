// A row for each case, the first on top.
#pragma once

#include <cstddef>
#include <vector>

#include "plots/picture.h"
#include "plots/plot_cases.h"

namespace transformeter {

/// More would not fit on a page.
inline constexpr std::size_t kMostRows = 60;

/// The row's middle.
double row_place(std::size_t row, std::size_t rows);

/// Named by the cases' labels, with a star behind those of doubtful cases.
PlotAxis row_axis(const PlotCases& cases, const std::vector<const PlotCase*>& rows);

/// Says what the stars of `rows` mean, where there are any.
void add_doubt_note(const std::vector<const PlotCase*>& rows, Picture& picture);

/// What tells the case from the others; its id where there is one case.
std::string case_name(const PlotCases& cases, const PlotCase& one);

/// Drops those beyond `most`, and says so.
void limit_cases(std::vector<const PlotCase*>& all, std::size_t most, Picture& picture);

}  // namespace transformeter
