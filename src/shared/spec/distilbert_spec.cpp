// DistilBERT (Sanh et al. 2019, arXiv:1910.01108): BERT with half the layers, no token types and no pooler. Names and
// defaults as in transformers/models/distilbert.
#include <fmt/format.h>

#include "spec/encoder_spec.h"

namespace transformeter {

namespace {

constexpr double kEpsilon = 1e-12;  // a constant in modeling_distilbert.py

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 30522, 1, kMaxVocabulary);
  config.hidden_size = reader.size("dim", 768);
  config.num_layers = reader.integer("n_layers", 6, 1, kMaxLayers);
  config.num_heads = reader.size("n_heads", 12);
  config.max_length = reader.integer("max_position_embeddings", 512, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  check_heads(reader, config, "dim", "n_heads");
  // The first only initialises a table; the others only serve training or are constants of the model.
  reader.ignore({"sinusoidal_pos_embds", "layer_norm_eps"});
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("hidden_dim", 3072);
  LayerSpec layer;
  layer.attention.heads = layer.attention.key_value_heads = config.num_heads;
  layer.attention.head_dim = c / config.num_heads;
  layer.attention.dropout = reader.number("attention_dropout", 0.1, 1);
  for (const char* part : {"q_lin", "k_lin", "v_lin"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "attention." + part, c, c));
  }
  layer.attention.output = linear_spec(prefix + "attention.out_lin", c, c);
  layer.attention_norm = {prefix + "sa_layer_norm", c, kEpsilon};
  layer.feed_forward.in = linear_spec(prefix + "ffn.lin1", c, inner);
  layer.feed_forward.out = linear_spec(prefix + "ffn.lin2", inner, c);
  layer.feed_forward.activation = reader.activation("activation", "gelu");
  layer.feed_forward_norm = {prefix + "output_layer_norm", c, kEpsilon};
  return layer;
}

HeadSpec head_of(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  EncoderHeads own;
  own.classes =
      first_token_head(linear_spec("pre_classifier", c, c), Activation::kRelu,
                       linear_spec("classifier", c, config.num_labels), reader.number("seq_classif_dropout", 0.2, 1));
  own.masked_tokens.dense = linear_spec("vocab_transform", c, c);
  own.masked_tokens.activation = reader.activation("activation", "gelu");
  own.masked_tokens.norm = NormSpec{"vocab_layer_norm", c, kEpsilon};
  own.decoder = {"vocab_projector.bias", "vocab_projector.weight", ""};
  own.token_dropout = reader.number("dropout", 0.1, 1);
  own.span_dropout = reader.number("qa_dropout", 0.1, 1);
  return encoder_head(reader, config, embedding, std::move(own), kind);
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = "distilbert.embeddings.word_embeddings.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.padding_row = config.pad_token_id.value_or(0);
  embedding.width = config.hidden_size;
  embedding.positions = "distilbert.embeddings.position_embeddings.weight";
  embedding.position_rows = config.max_length;
  embedding.norm = NormSpec{"distilbert.embeddings.LayerNorm", config.hidden_size, kEpsilon};
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, fmt::format("distilbert.transformer.layer.{}.", i)));
  }
  blueprint.head = head_of(reader, config, embedding, kind);
  blueprint.hidden_dropout = reader.number("dropout", 0.1, 1);
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t inner) {
  return {{"n_layers", layers},  {"dim", width},        {"n_heads", heads},
          {"hidden_dim", inner}, {"vocab_size", 30522}, {"max_position_embeddings", 512},
          {"pad_token_id", 0}};
}

}  // namespace

Architecture distilbert_architecture() {
  Architecture distilbert;
  distilbert.family = "distilbert";
  distilbert.class_prefix = "DistilBert";
  distilbert.base_prefixes = {"distilbert."};
  distilbert.heads = encoder_heads();
  distilbert.read = read;
  // Other names of dim, n_heads and n_layers, which Transformers takes too.
  distilbert.refused_keys = {"hidden_size", "num_attention_heads", "num_hidden_layers"};
  distilbert.draw = draw;
  distilbert.ignored_tensors = {"embeddings.position_ids", "vocab_", "pre_classifier.", "classifier.", "qa_outputs."};
  Json test = sizes(2, 64, 2, 128);
  test["vocab_size"] = 4096;
  test["max_position_embeddings"] = 128;
  distilbert.presets = {{"distilbert-test", test},
                        {"distilbert-tiny", sizes(2, 128, 2, 512)},
                        {"distilbert-base", sizes(6, 768, 12, 3072)}};
  return distilbert;
}

}  // namespace transformeter
