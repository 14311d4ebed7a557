// One metric or several against a setting, as a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plots/metric_figure.h"
#include "plots/picture.h"

namespace transformeter {

struct MetricRequest {
  std::string x;                               // empty: default_x
  std::vector<std::string> metrics;            // as parse_metric, a panel each
  std::optional<std::vector<std::string>> by;  // nothing: all that tells the cases apart
  AxisScales scales;
};

/// A single metric has the names at the lines, several share a legend. Throws Error(kBadInput) for what cannot be
/// drawn.
Picture metric_picture(const PlotCases& cases, const MetricRequest& request);

/// A panel for each choice, all with the same series; the title says what is along x.
Picture panels_along(const PlotCases& cases, const AlongSetting& along, const std::vector<MetricChoice>& choices,
                     const AxisScales& scales);

/// "Left out: 1 invalid case.", and the runs with their hosts: what stands below every picture.
std::vector<std::string> source_notes(const PlotCases& cases);

}  // namespace transformeter
