// What BERT and its kin have in common: post-norm layers whose tensors differ only in their names.
#pragma once

#include <string>

#include "spec/architecture.h"

namespace transformeter {

/// The keys that BERT's config.json introduced and its kin kept; defaults are those of BERT-base.
struct EncoderSizes {
  std::int64_t hidden = 768;
  std::int64_t heads = 12;
  std::int64_t intermediate = 3072;
  double epsilon = 1e-12;
  Activation activation = Activation::kGelu;
  double hidden_dropout = 0.1;
  double attention_dropout = 0.1;
  double classifier_dropout = 0.1;
};
EncoderSizes read_encoder_sizes(const ConfigReader& reader, const ModelConfig& config);

/// vocab_size, hidden_size, num_hidden_layers, num_attention_heads, max_position_embeddings, initializer_range. `usual`
/// has the family's defaults of width and heads.
void read_encoder_config(const ConfigReader& reader, ModelConfig& config, const EncoderSizes& usual = {});

/// Throws Error(kBadInput) naming both keys unless `heads` divides `width`.
void check_heads(const ConfigReader& reader, const ModelConfig& config, std::string_view width_key,
                 std::string_view heads_key);

/// Throws Error(kUnsupported) for relative positions and the like.
void require_absolute_positions(const ConfigReader& reader);

/// Words, token types and positions under PREFIX, with a layer norm.
EmbeddingSpec encoder_embedding(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix);

/// BERT's layer: PREFIX.attention.self.query, …, PREFIX.output.LayerNorm.
LayerSpec bert_layer(const EncoderSizes& sizes, const std::string& prefix);

/// The decoder of a masked language model.
struct DecoderNames {
  std::string bias;        // of the head
  std::string own_weight;  // of the decoder itself: a copy of the table of words where the two are tied
  std::string own_bias;    // empty: the decoder has no other than the head's
};
/// It shares the table of words, unless tie_word_embeddings is false or the checkpoint has one of its own.
LinearSpec word_decoder(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                        const DecoderNames& names);

/// The first token through `dense` and `activation` to `output`, before which values are dropped.
HeadSpec first_token_head(LinearSpec dense, Activation activation, LinearSpec output, double dropout);

/// What encoders' heads differ in.
struct EncoderHeads {
  HeadSpec classes;        // of a text
  HeadSpec masked_tokens;  // what is computed of each token before the decoder of words
  DecoderNames decoder;
  double token_dropout = 0;
  double span_dropout = 0;
};
/// Theirs, or what all have: `classifier` and `qa_outputs` on each token, and the mean for embeddings.
HeadSpec encoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      EncoderHeads own, HeadKind kind);

/// BERT's: `pooler` and classifier on the first token, and cls.predictions.
HeadSpec bert_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                   const LinearSpec& pooler, double dropout, HeadKind kind);

/// RoBERTa's: classifier.dense and classifier.out_proj on the first token, and lm_head.
HeadSpec roberta_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      double dropout, HeadKind kind);

/// Tasks of an encoder: all but causal_lm.
std::vector<HeadKind> encoder_heads();

}  // namespace transformeter
