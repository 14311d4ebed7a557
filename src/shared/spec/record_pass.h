// A forward pass on paper, operation by operation as the modules of src/worker/model take them.
#pragma once

#include "spec/blueprint.h"
#include "spec/training_memory.h"
#include "spec/training_tape.h"

namespace transformeter {

/// The loss with it. `shape` has at least one row, and of a model with a decoder as many targets, of one with a text
/// tower as many captions.
Tape record_pass(const Blueprint& blueprint, const StepShape& shape, const SavedForBackward& kept);

}  // namespace transformeter
