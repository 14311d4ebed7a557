// What decoders have in common: heads without a pooler, read from the last token.
#pragma once

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

/// Puts after embedding and layers what follows from them: the head of that kind, whose causal one is lm_head or the
/// table of words where the two are tied, what a token sees, and which tokens have positions. Throws
/// Error(kUnsupported) for is_causal false, as embedding models set it, with windows.
void finish_decoder(const ConfigReader& reader, const ModelConfig& config, const DecoderHeadNames& names, HeadKind kind,
                    Blueprint& blueprint);

/// Attention in which several heads share a key and a value: PREFIXq_proj, k_proj, v_proj and o_proj.
struct GroupedHeads {
  std::int64_t key_value_heads = 0;  // where num_key_value_heads is missing
  std::int64_t head_dim = 0;
  bool has_input_bias = false;
  bool has_output_bias = false;
};

/// head_dim as the file has it. Throws Error(kBadInput) for an odd one.
std::int64_t rotated_head_dim(const ConfigReader& reader, std::int64_t fallback);

/// Throws Error(kBadInput) for key-value heads that do not divide the heads.
AttentionSpec grouped_attention(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix,
                                const GroupedHeads& heads);

/// Keys that the cache of a decoder reads, windows and chunks: to be refused where the family does not ask for them.
std::vector<std::string> cache_keys();

/// Whether the list `types` of layer_types says that layer `index` has a window. Throws Error(kBadInput) for no such
/// list, and Error(kUnsupported) for another kind.
bool is_sliding_layer(const ConfigReader& reader, const Json& types, std::int64_t index);

/// Tasks of a decoder.
std::vector<HeadKind> decoder_heads();

}  // namespace transformeter
