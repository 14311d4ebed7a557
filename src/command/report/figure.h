// A plot with its title, caption and legend.
#pragma once

#include <string>
#include <vector>

#include "report/plot.h"

namespace transformeter {

struct LegendEntry {
  PlotRole role = PlotRole::kSeries1;
  bool is_dashed = false;
  std::string label;  // as users named it
};

/// All texts are plain; whoever writes the page escapes them.
struct Figure {
  std::string id;  // unique in its run: "throughput-samples"
  std::string title;
  std::string note;         // how to read it, and what is left out
  std::string description;  // its content in words, for those who do not see it
  std::vector<LegendEntry> legend;
  std::vector<std::string> curves;  // names of the plot's curves
  Plot plot;
};

}  // namespace transformeter
