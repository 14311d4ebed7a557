// RoBERTa (Liu et al. 2019, arXiv:1907.11692), XLM-RoBERTa and CamemBERT: BERT's layers, positions that start behind
// the padding token's id, and heads of their own. Names and defaults as in transformers/models/roberta.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

constexpr std::int64_t kPaddingId = 1;

void read(const ConfigReader& reader, ModelConfig& config) {
  read_encoder_config(reader, config);
  if (config.family() == "roberta") config.vocab_size = reader.integer("vocab_size", 50265, 1, kMaxVocabulary);
  const std::int64_t padding = reader.integer("pad_token_id", kPaddingId, 0, config.vocab_size - 1);
  // The first token has the position padding + 1.
  config.max_length -= padding + 1;
  if (config.max_length < 1) {
    throw reader.bad("max_position_embeddings", config.max_length + padding + 1,
                     fmt::format("more than pad_token_id {} + 1", padding));
  }
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  require_absolute_positions(reader);
  const EncoderSizes sizes = read_encoder_sizes(reader, config);
  Blueprint blueprint;
  blueprint.embedding = encoder_embedding(reader, config, "roberta.embeddings.");
  blueprint.embedding.padding_row = reader.integer("pad_token_id", kPaddingId, 0, config.vocab_size - 1);
  blueprint.embedding.position_offset = reader.integer("pad_token_id", kPaddingId, 0, config.vocab_size - 1) + 1;
  blueprint.positions_skip_padding = true;
  blueprint.blanks = BlankTokens{*blueprint.embedding.padding_row, true, false};
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(bert_layer(sizes, fmt::format("roberta.encoder.layer.{}.", i)));
  }
  blueprint.head = roberta_head(reader, config, blueprint.embedding, sizes.classifier_dropout, kind);
  blueprint.hidden_dropout = sizes.hidden_dropout;
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t vocabulary) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"num_attention_heads", width / 64},
          {"intermediate_size", 4 * width},
          {"vocab_size", vocabulary},
          {"max_position_embeddings", 514},
          {"type_vocab_size", 1},
          {"layer_norm_eps", 1e-5},
          {"pad_token_id", kPaddingId},
          {"eos_token_id", 2}};
}

}  // namespace

Architecture roberta_architecture(const std::string& model_type, const std::string& class_prefix) {
  Architecture roberta;
  roberta.family = model_type;
  roberta.class_prefix = class_prefix;
  roberta.base_prefixes = {"roberta."};
  roberta.heads = encoder_heads();
  roberta.read = read;
  roberta.draw = draw;
  roberta.ignored_tensors = {
      "embeddings.position_ids", "embeddings.token_type_ids", "pooler.", "lm_head.", "classifier.", "qa_outputs."};
  roberta.pooler = [](const ModelConfig& config) {
    return linear_spec("roberta.pooler.dense", config.hidden_size, config.hidden_size);
  };
  if (model_type == "roberta") {
    roberta.presets = {{"roberta-base", sizes(12, 768, 50265)}, {"roberta-large", sizes(24, 1024, 50265)}};
  } else if (model_type == "xlm-roberta") {
    roberta.presets = {{"xlm-roberta-base", sizes(12, 768, 250002)}};
  }
  return roberta;
}

}  // namespace transformeter
