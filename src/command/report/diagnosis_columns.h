// The columns of a diagnosis by batch size.
#pragma once

#include <vector>

#include "analysis/training_series.h"
#include "report/document.h"

namespace transformeter {

/// Case, batch, step time, the share of each part of it, throughput, padding and peak memory; a part that no case has a
/// figure of is left out.
std::vector<Column> diagnosis_columns(const TrainingSeries& series);

}  // namespace transformeter
