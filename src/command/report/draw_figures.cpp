// Ids are made of those of the part and the sub-section that a figure stands in.
#include "report/draw_figures.h"

#include "report/svg.h"

namespace transformeter {
namespace {

struct Drawing {
  DrawnFigure* drawn;
  std::string of;  // what the title adds: the sub-section
};

void collect(std::vector<Drawing>& all, std::vector<Block>& blocks, const std::string& prefix, const std::string& of) {
  for (Block& block : blocks) {
    if (auto* figures = std::get_if<Figures>(&block)) {
      for (DrawnFigure& drawn : figures->figures) {
        drawn.id = prefix + drawn.figure.id;
        all.push_back({&drawn, of});
      }
    } else if (auto* group = std::get_if<Fold>(&block)) {
      collect(all, group->blocks, prefix, of);
    } else if (auto* section = std::get_if<SubSection>(&block)) {
      collect(all, section->blocks, prefix + section->id + "-", ": " + section->title);
    }
  }
}

std::vector<Drawing> drawings_of(Document& document) {
  std::vector<Drawing> all;
  for (Section& section : document.sections) collect(all, section.blocks, "", "");
  for (Part& part : document.parts) {
    for (Section& section : part.sections) collect(all, section.blocks, part.id + "-", "");
  }
  for (Section& section : document.closing) collect(all, section.blocks, "", "");
  return all;
}

}  // namespace

std::string draw_figures(Document& document, const ToolOptions& options) {
  const std::vector<Drawing> all = drawings_of(document);
  std::vector<Plot> plots;
  for (const Drawing& drawing : all) plots.push_back(drawing.drawn->figure.plot);
  const DrawnPlots drawn = draw_plots(plots, options);
  if (!drawn.problem.empty()) return drawn.problem;
  for (std::size_t i = 0; i < all.size(); ++i) {
    DrawnFigure& one = *all[i].drawn;
    const Figure& figure = one.figure;
    one.svg = clean_svg(drawn.files[i], figure.plot,
                        {one.id + "-plot", figure.title + all[i].of, figure.description, figure.curves});
  }
  return "";
}

}  // namespace transformeter
