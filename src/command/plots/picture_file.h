// A picture as the file that gnuplot makes of it.
#pragma once

#include <string>

#include "plots/picture.h"
#include "report/gnuplot.h"

namespace transformeter {

/// The script that makes `file` in its working folder.
std::string picture_script(const Picture& picture, PlotFormat format, const std::string& file);

/// The file's bytes, in the format of the options. Throws Error(kEnvironment) where gnuplot is missing or fails, and
/// Error(kInterrupted) as draw_plots.
std::string picture_file(const Picture& picture, PlotFormat format, const ToolOptions& options);

}  // namespace transformeter
