// What the fake worker answers to texts.
#pragma once

#include <string>

#include "schema/messages.h"

namespace transformeter {

/// The inputs in their order, up to one whose text is "refuse". A class for every task but embedding: two logits, the
/// bytes of the text and 0, so that an answer shows whose it is; an embedding of the same two numbers.
Predicted fake_predictions(const std::string& task, const PredictRequest& request);

}  // namespace transformeter
