// What decoders have in common: heads without a pooler, read from the last token.
#pragma once

#include <string>

#include "spec/architecture.h"

namespace transformeter {

/// What the head of a decoder reads and is called.
struct DecoderHeadNames {
  std::int64_t width = 0;  // of the hidden states the head is given
  std::string classifier = "score";
  std::string token_classifier = "score";
  double dropout = 0;  // before a token's classes
};

/// The head of that kind. The causal head is lm_head, or the table of words where the two are tied.
HeadSpec decoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      const DecoderHeadNames& names, HeadKind kind);

/// Whether lm_head shares the table of words: tie_word_embeddings, or the family's default.
bool words_are_tied(const ConfigReader& reader, const ModelConfig& config);

/// Tasks of a decoder.
std::vector<HeadKind> decoder_heads();

}  // namespace transformeter
