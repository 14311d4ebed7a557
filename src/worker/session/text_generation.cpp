// Prompts are padded on the left; the engine does the rest.
#include "session/text_generation.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "datasets/row_frame.h"
#include "tasks/prompts.h"

namespace transformeter {

Predicted generate_texts(const PredictRequest& request, std::int64_t batch_size, const LoadedModel& model,
                         const Tokenizer& tokenizer) {
  const PredictionModel known{tokenizer, {}, model.config.max_length};
  Predicted predicted;
  std::vector<Encoding> prompts;
  for (std::size_t i = 0; i < request.inputs.size() && !predicted.refused; ++i) {
    try {
      prompts.push_back(encode_prompt(request.inputs[i], known, request.options));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      predicted.refused = RefusedInput{i, error.what()};
    }
  }
  const GenerationOptions options{request.options.max_new_tokens, model.config.eos_token_ids};
  const std::int32_t pad = row_frame(tokenizer).pad;
  const auto most = static_cast<std::size_t>(batch_size);
  for (std::size_t begin = 0; begin < prompts.size(); begin += most) {
    const std::size_t rows = std::min(most, prompts.size() - begin);
    const Batch batch = pad_prompts(std::span(prompts).subspan(begin, rows), pad);
    std::vector<std::vector<std::int64_t>> generated = model.engine->generate(model.engine->stage(batch), options);
    for (std::size_t row = 0; row < rows; ++row) {
      predicted.predictions.push_back({decode_generated(prompts[begin + row], std::move(generated[row]), tokenizer)});
    }
  }
  return predicted;
}

}  // namespace transformeter
