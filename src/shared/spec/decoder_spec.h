// What decoders have in common: heads without a pooler, read from the last token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/architecture.h"

namespace transformeter {

/// What the head of a decoder reads and is called.
struct DecoderHeadNames {
  std::int64_t width = 0;  // of the hidden states the head is given
  std::string classifier = "score";
  std::string token_classifier = "score";
  double dropout = 0;       // before a token's classes
  bool ties_words = false;  // by default: lm_head is the table of words
};

/// The head of that kind. The causal head is lm_head, or the table of words where the two are tied.
HeadSpec decoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      const DecoderHeadNames& names, HeadKind kind);

/// Keys that the cache of a decoder reads, windows and chunks: to be refused where the family does not ask for them.
std::vector<std::string> cache_keys();

/// Whether the list `types` of layer_types says that layer `index` has a window. Throws Error(kBadInput) for no such
/// list, and Error(kUnsupported) for another kind.
bool is_sliding_layer(const ConfigReader& reader, const Json& types, std::int64_t index);

/// is_causal, which embedding models set to false: every token sees all others then. Throws Error(kUnsupported) for
/// that with windows.
bool reads_causally(const ConfigReader& reader, const std::vector<LayerSpec>& layers);

/// Classes of a text are read from its last token that is not the padding's, whether padding or not.
std::optional<BlankTokens> blanks_of(const ModelConfig& config, HeadKind kind);

/// Tasks of a decoder.
std::vector<HeadKind> decoder_heads();

}  // namespace transformeter
