// What the fake worker answers to texts.
#pragma once

#include "schema/messages.h"
#include "schema/task.h"

namespace transformeter {

/// The inputs in their order, up to one whose text is "refuse". A class for every task but embedding: two logits, the
/// bytes of the text and 0, so that an answer shows whose it is; an embedding of the same two numbers.
Predicted fake_predictions(Task task, const PredictRequest& request);

}  // namespace transformeter
