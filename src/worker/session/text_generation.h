// `predict` for causal language models: texts that go on.
#pragma once

#include "measure/loaded_model.h"
#include "schema/messages.h"

namespace transformeter {

/// The most likely tokens after each text, in batches of the case's batch size; up to the first text that is refused.
Predicted generate_texts(const PredictRequest& request, std::int64_t batch_size, const LoadedModel& model,
                         const Tokenizer& tokenizer);

}  // namespace transformeter
