// Cases put into series, one line of a plot each, along a setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plots/plot_cases.h"
#include "report/figure.h"

namespace transformeter {

/// A line's place among the others: colours that are all different in hue or dash up to kNamedSeries, grey beyond.
inline constexpr std::size_t kNamedSeries = 16;
PlotRole role_of_series(std::size_t place);
bool is_dashed_series(std::size_t place);

struct SeriesPoint {
  double x = 0;
  const PlotCase* one = nullptr;
};

struct CaseSeries {
  std::string label;
  std::vector<SeriesPoint> points;  // ascending in x, no two at one x
};

/// What stands along the horizontal axis: numbers, or words side by side at 0, 1, ...
struct AlongSetting {
  std::string setting;
  std::vector<std::string> words;  // empty: numbers
  std::vector<CaseSeries> series;  // in the order of their first cases
  std::size_t without = 0;         // cases that have no such setting

  bool is_number() const { return words.empty(); }
};

/// One series for each combination of the values of `by`; without it of the settings that tell the cases apart. Throws
/// Error(kBadInput) for settings that no case has, for `x` with a single value, naming those that vary, and where two
/// cases of a series have the same x, naming the settings in which they differ.
AlongSetting along_setting(const PlotCases& cases, const std::string& x,
                           const std::optional<std::vector<std::string>>& by);

/// Batch size, sequence length, prompt length, new tokens, threads or padding, the first that varies as a number; else
/// the first setting that tells the cases apart; empty where there is one case.
std::string default_x(const PlotCases& cases);

/// The named series, and how many are grey.
std::vector<LegendEntry> legend_of(const AlongSetting& along);

}  // namespace transformeter
