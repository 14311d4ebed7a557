// Rows count from the top, axes from the bottom.
#include "plots/case_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "plots/page_text.h"

namespace transformeter {
namespace {

bool is_doubtful(const PlotCase& one) {
  return one.one->analysis.verdict.level == VerdictLevel::kDoubtful;
}

}  // namespace

double row_place(std::size_t row, std::size_t rows) {
  return static_cast<double>(rows - 1 - row);
}

PlotAxis row_axis(const PlotCases& cases, const std::vector<const PlotCase*>& rows) {
  constexpr int kWidestName = 360;
  PlotAxis axis;
  axis.from = -0.5;
  axis.to = static_cast<double>(rows.size()) - 0.5;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = text_within(case_name(cases, *rows[i]), kWidestName, kPanelFont);
    axis.tics.push_back({row_place(i, rows.size()), is_doubtful(*rows[i]) ? name + " *" : name});
  }
  return axis;
}

std::string case_name(const PlotCases& cases, const PlotCase& one) {
  return cases.axes.empty() ? one.one->record->id : series_label(cases, one, cases.axes);
}

void add_doubt_note(const std::vector<const PlotCase*>& rows, Picture& picture) {
  const bool any = std::any_of(rows.begin(), rows.end(), [](const PlotCase* one) { return is_doubtful(*one); });
  if (any) picture.notes.emplace_back("*: doubtful.");
}

void limit_cases(std::vector<const PlotCase*>& all, std::size_t most, Picture& picture) {
  if (all.size() <= most) return;
  picture.notes.push_back(fmt::format("The first {} of {} cases; --where chooses others.", most, all.size()));
  all.resize(most);
}

}  // namespace transformeter
