// Ready pictures: each is one row of a table and one function.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "plots/picture.h"
#include "plots/plot_cases.h"

namespace transformeter {

/// A picture, or what the cases lack for it: "a baseline"; empty: what its type needs.
struct PictureAnswer {
  std::optional<Picture> picture = {};
  std::string missing = {};
};

struct PictureType {
  const char* name;
  const char* shows;
  const char* needs;
  const char* command;  // makes a run that has it, or says why there is none
  bool needs_samples;   // the stored series too, not only metrics
  PictureAnswer (*make)(const PlotCases& cases);
};

// One function for each file <name>_picture.cpp; those of metric_panels.cpp have panels of metrics along a setting.
PictureAnswer six_panel_picture(const PlotCases& cases);
PictureAnswer memory_picture(const PlotCases& cases);
PictureAnswer padding_picture(const PlotCases& cases);
PictureAnswer padding_grid_picture(const PlotCases& cases);
PictureAnswer precision_picture(const PlotCases& cases);
PictureAnswer devices_picture(const PlotCases& cases);
PictureAnswer energy_picture(const PlotCases& cases);
PictureAnswer heat_map_picture(const PlotCases& cases);
PictureAnswer pareto_picture(const PlotCases& cases);
PictureAnswer roofline_picture(const PlotCases& cases);
PictureAnswer ecdf_picture(const PlotCases& cases);
PictureAnswer time_series_picture(const PlotCases& cases);
PictureAnswer loss_picture(const PlotCases& cases);
PictureAnswer time_breakdown_picture(const PlotCases& cases);

/// In the order of the list.
std::span<const PictureType> picture_types();

/// Throws Error(kBadInput) with the nearest name for an unknown one.
const PictureType& picture_type(const std::string& name);

/// With what the picture is made from below it. Throws Error(kUnsupported), saying what is missing and which command
/// makes it.
Picture ready_picture(const PictureType& type, const PlotCases& cases);

}  // namespace transformeter
