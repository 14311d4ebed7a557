// What a training is told that ran out of memory: which batch fits, or what may help where none does.
#pragma once

#include <cstdint>
#include <string>

#include "schema/case.h"
#include "tasks/batch_loader.h"

namespace transformeter {

/// "batch_size 8 does not fit into memory; batch_size 4 does ...": a step with the first `rows` of the largest
/// micro-batch fits.
std::string fitting_batch_text(const TrainingBatch& largest, const Case& request, std::int64_t rows);

/// "batch_size 8 does not fit into memory, nor does a single row of 128 tokens: ... may help": not even
/// least_batch_size of its rows do.
std::string no_fitting_batch_text(const TrainingBatch& largest, const Case& request);

}  // namespace transformeter
