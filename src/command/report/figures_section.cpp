// Each metric against what was swept.
#include "report/report_sections.h"
#include "report/sweep_figures.h"

namespace transformeter {

std::vector<Block> figures_section(const SectionInput& input) {
  Figures figures = figures_of(sweep_figures(input.run));
  if (figures.figures.empty()) return {};
  return {std::move(figures)};
}

}  // namespace transformeter
