// Key names and defaults follow transformers/models/bert of Transformers 5.23.
#include "spec/encoder_spec.h"

#include <fmt/format.h>

#include <utility>

namespace transformeter {

EncoderSizes read_encoder_sizes(const ConfigReader& reader, const ModelConfig& config) {
  EncoderSizes sizes;
  sizes.hidden = config.hidden_size;
  sizes.heads = config.num_heads;
  sizes.intermediate = reader.size("intermediate_size", 3072);
  sizes.epsilon = reader.number("layer_norm_eps", 1e-12, 1);
  sizes.activation = reader.activation("hidden_act", "gelu");
  sizes.hidden_dropout = reader.number("hidden_dropout_prob", 0.1, 1);
  sizes.attention_dropout = reader.number("attention_probs_dropout_prob", 0.1, 1);
  sizes.classifier_dropout = reader.number("classifier_dropout", sizes.hidden_dropout, 1);
  return sizes;
}

void read_encoder_config(const ConfigReader& reader, ModelConfig& config, const EncoderSizes& usual) {
  config.vocab_size = reader.integer("vocab_size", 30522, 1, kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", usual.hidden);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", usual.heads);
  config.max_length = reader.integer("max_position_embeddings", 512, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  check_heads(reader, config, "hidden_size", "num_attention_heads");
}

void check_heads(const ConfigReader& reader, const ModelConfig& config, std::string_view width_key,
                 std::string_view heads_key) {
  if (config.hidden_size % config.num_heads == 0) return;
  throw reader.bad(width_key, config.hidden_size, fmt::format("a multiple of {} {}", heads_key, config.num_heads));
}

void require_absolute_positions(const ConfigReader& reader) {
  const std::string kind = reader.text("position_embedding_type", "absolute");
  if (kind != "absolute") {
    throw reader.unsupported("position_embedding_type", kind, "only absolute positions are computed");
  }
}

EmbeddingSpec encoder_embedding(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  EmbeddingSpec embedding;
  embedding.words = prefix + "word_embeddings.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.padding_row = config.pad_token_id.value_or(0);
  embedding.width = config.hidden_size;
  embedding.types = prefix + "token_type_embeddings.weight";
  embedding.type_rows = reader.integer("type_vocab_size", 2, 1, kMaxVocabulary);
  embedding.positions = prefix + "position_embeddings.weight";
  embedding.position_rows = reader.integer("max_position_embeddings", 512, 1, kMaxPositions);
  embedding.norm = NormSpec{prefix + "LayerNorm", embedding.width, reader.number("layer_norm_eps", 1e-12, 1)};
  return embedding;
}

LayerSpec bert_layer(const EncoderSizes& sizes, const std::string& prefix) {
  const std::int64_t c = sizes.hidden;
  LayerSpec layer;
  layer.attention.heads = layer.attention.key_value_heads = sizes.heads;
  layer.attention.head_dim = c / sizes.heads;
  layer.attention.dropout = sizes.attention_dropout;
  for (const char* part : {"query", "key", "value"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "attention.self." + part, c, c));
  }
  layer.attention.output = linear_spec(prefix + "attention.output.dense", c, c);
  layer.attention_norm = {prefix + "attention.output.LayerNorm", c, sizes.epsilon};
  layer.feed_forward.in = linear_spec(prefix + "intermediate.dense", c, sizes.intermediate);
  layer.feed_forward.out = linear_spec(prefix + "output.dense", sizes.intermediate, c);
  layer.feed_forward.activation = sizes.activation;
  layer.feed_forward_norm = {prefix + "output.LayerNorm", c, sizes.epsilon};
  return layer;
}

LinearSpec word_decoder(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                        const DecoderNames& names) {
  const bool is_tied = reader.flag("tie_word_embeddings", true);
  LinearSpec decoder;
  decoder.weight = names.own_weight;
  decoder.bias = names.bias;
  decoder.in = embedding.width;
  decoder.out = embedding.vocabulary;
  if (is_tied) decoder.tied_bias = names.own_bias;
  if (!is_tied && !names.own_bias.empty()) decoder.bias = names.own_bias;
  if (is_tied && !config.has_own_decoder) {
    decoder.weight = embedding.words;
    decoder.tied_weight = names.own_weight;
  }
  return decoder;
}

HeadSpec first_token_head(LinearSpec dense, Activation activation, LinearSpec output, double dropout) {
  HeadSpec head;
  head.selection = Selection::kFirst;
  head.dense = std::move(dense);
  head.activation = activation;
  head.output = std::move(output);
  head.dropout = dropout;
  return head;
}

HeadSpec encoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      EncoderHeads own, HeadKind kind) {
  if (kind == HeadKind::kSequenceClasses) return std::move(own.classes);
  HeadSpec head;
  if (kind == HeadKind::kMaskedTokens) {
    head = std::move(own.masked_tokens);
    head.output = word_decoder(reader, config, embedding, own.decoder);
    return head;
  }
  if (kind == HeadKind::kTokenClasses) {
    head.output = linear_spec("classifier", config.hidden_size, config.num_labels);
    head.dropout = own.token_dropout;
  } else if (kind == HeadKind::kSpan) {
    head.output = linear_spec("qa_outputs", config.hidden_size, 2);
    head.dropout = own.span_dropout;
  } else {
    head.selection = Selection::kMean;
  }
  return head;
}

HeadSpec bert_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                   const LinearSpec& pooler, double dropout, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  const std::string prefix = "cls.predictions.";
  EncoderHeads own;
  own.classes = first_token_head(pooler, Activation::kTanh, linear_spec("classifier", c, config.num_labels), dropout);
  own.masked_tokens.dense = linear_spec(prefix + "transform.dense", c, c);
  own.masked_tokens.activation = reader.activation("hidden_act", "gelu");
  own.masked_tokens.norm = NormSpec{prefix + "transform.LayerNorm", c, embedding.norm->epsilon};
  own.decoder = {prefix + "bias", prefix + "decoder.weight", prefix + "decoder.bias"};
  own.token_dropout = dropout;
  return encoder_head(reader, config, embedding, std::move(own), kind);
}

HeadSpec roberta_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      double dropout, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  EncoderHeads own;
  own.classes = first_token_head(linear_spec("classifier.dense", c, c), Activation::kTanh,
                                 linear_spec("classifier.out_proj", c, config.num_labels), dropout);
  own.masked_tokens.dense = linear_spec("lm_head.dense", c, c);
  own.masked_tokens.activation = Activation::kGelu;
  own.masked_tokens.norm = NormSpec{"lm_head.layer_norm", c, embedding.norm->epsilon};
  own.decoder = {"lm_head.bias", "lm_head.decoder.weight", "lm_head.decoder.bias"};
  own.token_dropout = dropout;
  return encoder_head(reader, config, embedding, std::move(own), kind);
}

std::vector<HeadKind> encoder_heads() {
  return {HeadKind::kSequenceClasses, HeadKind::kTokenClasses, HeadKind::kSpan, HeadKind::kMaskedTokens,
          HeadKind::kNone};
}

}  // namespace transformeter
