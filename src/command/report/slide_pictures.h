// Figures as PNG pictures for slides.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figure.h"
#include "report/gnuplot.h"

namespace transformeter {

/// The file of the picture at `index`: "figure-0.png".
std::string slide_picture_name(std::size_t index);

/// Draws every figure into its file of the working folder: as wide as a slide, with the legend at the side. Texts are
/// those of gnuplot_text.
std::string slide_pictures_script(const std::vector<Figure>& figures);

/// As draw_plots.
DrawnPlots draw_slide_pictures(const std::vector<Figure>& figures, const ToolOptions& options = {});

}  // namespace transformeter
