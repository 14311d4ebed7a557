// A case's outputs beside its reference's: the figures that are stored with the replicate.
#pragma once

#include <string>
#include <vector>

#include "schema/outputs.h"
#include "schema/series.h"

namespace transformeter {

struct OutputComparison {
  /// divergence, divergence_max, compared_inputs, and of rows with more than one value compared_rows and agreed_rows;
  /// empty where nothing can be compared.
  std::vector<Series> series;
  std::string why_none;
};

/// Input by input, wherever each stands in its batch. Differences are in units of the spread between the rows of the
/// whole reference, so that a case which has few of its inputs is judged by the same scale. Inputs that only one side
/// has are left out.
OutputComparison compare_outputs(const Outputs& reference, const Outputs& outputs);

}  // namespace transformeter
