// Token classification: a label for each token of the text.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "datasets/entity_decoder.h"
#include "datasets/prediction_tasks.h"
#include "datasets/softmax.h"

namespace transformeter {
namespace {

// Where tokens inside words are marked ("##ing"), the mark tells; else a word begins after a blank, as Transformers'
// pipeline has it then.
bool continues_word(const Token& token, std::string_view text, const TokenizerTraits& traits) {
  if (token.id == traits.special.unk) return false;
  const std::string_view prefix = traits.continuing_subword_prefix;
  if (!prefix.empty()) return token.text.size() > prefix.size() && token.text.starts_with(prefix);
  const std::size_t begin = token.bytes.begin;
  return begin > 0 && text[begin - 1] != ' ' && begin < text.size() && text[begin] != ' ';
}

class TaggedText final : public EncodedInput {
 public:
  TaggedText(const PredictionInput& input, const PredictionModel& model, const EncodeOptions& options)
      : input_(input), model_(model), tokens_(model.tokenizer.tokenize(input.text, options)) {
    rows_.push_back(model.tokenizer.encode(input.text, options));
  }

  Prediction decode(std::span<const RowOutput> outputs) const override {
    const TokenizerTraits& traits = model_.tokenizer.traits();
    std::vector<LabelledToken> labelled;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.special) continue;
      const std::vector<double> scores = softmax(outputs.front().token(i));
      const auto best = std::max_element(scores.begin(), scores.end());
      labelled.push_back({token.characters, token.bytes, label_of(static_cast<std::size_t>(best - scores.begin())),
                          *best, continues_word(token, input_.text, traits)});
    }
    EntityPrediction entities{group_entities(labelled, input_.text), tags_of_words(labelled, input_.words)};
    return {std::move(entities), rows_.front().truncated_tokens > 0};
  }

 private:
  std::string label_of(std::size_t index) const {
    return index < model_.labels.size() ? model_.labels[index] : fmt::format("LABEL_{}", index);
  }

  const PredictionInput& input_;
  const PredictionModel& model_;
  std::vector<Token> tokens_;
};

class EntityTask final : public PredictionTask {
 public:
  EntityTask(const PredictionModel& model, const PredictionOptions& options) : PredictionTask(false), model_(model) {
    options_.max_length = options.max_length;
  }

 private:
  std::unique_ptr<EncodedInput> do_encode(const PredictionInput& input) const override {
    return std::make_unique<TaggedText>(input, model_, options_);
  }

  PredictionModel model_;
  EncodeOptions options_;
};

}  // namespace

std::unique_ptr<PredictionTask> make_entity_task(const PredictionModel& model, const PredictionOptions& options) {
  return std::make_unique<EntityTask>(model, options);
}

}  // namespace transformeter
