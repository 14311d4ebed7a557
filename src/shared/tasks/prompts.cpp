// Decoders treat the beginning of a text in their own way, so that a text is decoded with its prompt and cut off it.
#include "tasks/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "datasets/synthetic.h"

namespace transformeter {
namespace {

Batch row_of(const Batch& all, std::int64_t row) {
  const auto cut = [&](const auto& column) {
    const auto begin = column.begin() + row * all.sequence_length;
    return std::remove_cvref_t<decltype(column)>(begin, begin + all.sequence_length);
  };
  Batch one;
  one.batch_size = 1;
  one.sequence_length = all.sequence_length;
  one.input_ids = cut(all.input_ids);
  one.attention_mask = cut(all.attention_mask);
  one.token_type_ids = cut(all.token_type_ids);
  one.example_index = {all.example_index.at(static_cast<std::size_t>(row))};
  one.useful_tokens = one.processed_tokens = all.sequence_length;
  return one;
}

// Texts long enough that each fills a row, whatever stands around it.
Cycle random_rows(const Tokenizer& tokenizer, const CycleOptions& options) {
  const std::int64_t length = *options.sequence_length + row_frame(tokenizer).size();
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(options.batch_size), length);
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const RowFrame frame = options.open_end ? open_row_frame(tokenizer) : row_frame(tokenizer);
  return build_cycle(order, synthetic_encodings(lengths, tokenizer, options.seed), frame, options);
}

}  // namespace

void check_generation_room(std::int64_t prompt_length, std::int64_t new_tokens, const ModelConfig& config) {
  if (prompt_length + new_tokens > config.max_length) {
    throw Error(
        ErrorKind::kUnsupportedShape,
        fmt::format("prompt_length {} and new_tokens {} add up to {} tokens, more than the model's {} positions",
                    prompt_length, new_tokens, prompt_length + new_tokens, config.max_length));
  }
  const std::optional<std::int64_t>& limit = config.cache_limit;
  // The last new token is not read.
  if (!limit || prompt_length > *limit || prompt_length + new_tokens - 1 <= *limit) return;
  const std::int64_t longest = *limit + 1 - new_tokens;
  throw Error(ErrorKind::kUnsupportedShape,
              fmt::format("prompt_length {} and new_tokens {} pass {} tokens, where this model's rotary factors change "
                          "and all tokens are computed again; use a prompt_length above {}{}",
                          prompt_length, new_tokens, *limit, *limit,
                          longest >= 1 ? fmt::format(", or {} at most", longest) : ""));
}

Cycle measured_prompts(const DataSet* data, const Tokenizer& tokenizer, CycleOptions options) {
  options.batch_size = kMeasuredPrompts;
  Cycle cycle = data != nullptr ? build_cycle(*data, tokenizer, options) : random_rows(tokenizer, options);
  const Batch rows = std::move(cycle.batches.front());
  cycle.batches.clear();
  for (std::int64_t row = 0; row < rows.batch_size; ++row) cycle.batches.push_back(row_of(rows, row));
  return cycle;
}

Encoding encode_prompt(const PredictionInput& input, const PredictionModel& model, const PredictionOptions& options) {
  check_input(input, false);
  Encoding prompt = model.tokenizer.encode(input.text);
  if (prompt.ids.empty()) throw Error(ErrorKind::kBadInput, "the text is blank, and the tokenizer adds no tokens");
  const auto size = static_cast<std::int64_t>(prompt.ids.size());
  const std::int64_t room = std::min(options.max_length.value_or(model.max_positions), model.max_positions);
  const std::int64_t new_tokens = model.is_encoder_decoder ? 0 : options.max_new_tokens;
  if (size <= room - new_tokens) return prompt;
  const std::string too_many =
      model.is_encoder_decoder
          ? fmt::format("the text's {} tokens exceed the limit of {}; shorten the text", size, room)
          : fmt::format(
                "the prompt's {} tokens and {} new ones exceed the limit of {}; shorten the text or lower "
                "--max-new-tokens",
                size, new_tokens, room);
  throw Error(ErrorKind::kBadInput, too_many);
}

Batch pad_prompts(std::span<const Encoding> prompts, std::int32_t pad) {
  std::size_t length = 0;
  for (const Encoding& prompt : prompts) length = std::max(length, prompt.ids.size());
  Batch batch;
  batch.batch_size = static_cast<std::int64_t>(prompts.size());
  batch.sequence_length = static_cast<std::int64_t>(length);
  for (std::size_t row = 0; row < prompts.size(); ++row) {
    const Encoding& prompt = prompts[row];
    const std::size_t padding = length - prompt.ids.size();
    const auto append = [&](auto& values, auto filling, const auto& own) {
      values.insert(values.end(), padding, filling);
      values.insert(values.end(), own.begin(), own.end());
    };
    append(batch.input_ids, pad, prompt.ids);
    append(batch.token_type_ids, 0, prompt.type_ids);
    append(batch.attention_mask, std::uint8_t{0}, std::vector<std::uint8_t>(prompt.ids.size(), 1));
    batch.example_index.push_back(row);
    batch.useful_tokens += static_cast<std::int64_t>(prompt.ids.size());
  }
  batch.processed_tokens = batch.batch_size * batch.sequence_length;
  batch.has_padding = batch.useful_tokens < batch.processed_tokens;
  return batch;
}

GeneratedText decode_generated(std::vector<std::int64_t> ids, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> words;
  // Models may have more outputs than the vocabulary has words, for a rounder number; such an id has no text.
  for (const std::int64_t id : ids) {
    if (id < tokenizer.vocabulary_size()) words.push_back(static_cast<std::int32_t>(id));
  }
  return {tokenizer.decode(words), std::move(ids)};
}

}  // namespace transformeter
