// Heads as in transformers/modeling_layers.py of Transformers 5.23.
#include "spec/decoder_spec.h"

#include <algorithm>

namespace transformeter {
std::vector<std::string> cache_keys() {
  return {"sliding_window", "layer_types", "attention_chunk_size", "kv_sharing_modes"};
}

bool is_sliding_layer(const ConfigReader& reader, const Json& types, std::int64_t index) {
  if (!types.is_array() || static_cast<std::int64_t>(types.size()) <= index) {
    throw reader.bad("layer_types", types, "a list with the kind of each layer");
  }
  const Json& type = types[static_cast<std::size_t>(index)];
  if (type == "full_attention") return false;
  if (type == "sliding_attention") return true;
  throw reader.unsupported("layer_types", type, "layers are full_attention or sliding_attention");
}

bool reads_causally(const ConfigReader& reader, const std::vector<LayerSpec>& layers) {
  const bool is_causal = reader.flag("is_causal", true);
  const bool has_window =
      std::any_of(layers.begin(), layers.end(), [](const LayerSpec& layer) { return layer.attention.window > 0; });
  if (!is_causal && has_window) {
    throw reader.unsupported("is_causal", false, "windows of layers (sliding_window) only look back");
  }
  return is_causal;
}

HeadSpec decoder_head(const ConfigReader& reader, const ModelConfig& config, const EmbeddingSpec& embedding,
                      const DecoderHeadNames& names, HeadKind kind) {
  HeadSpec head;
  if (kind == HeadKind::kNextToken) {
    head.output = linear_spec("lm_head", names.width, config.vocab_size, false);
    if (reader.flag("tie_word_embeddings", names.ties_words) && !config.has_own_decoder) {
      head.output->weight = embedding.words;
      head.output->tied_weight = "lm_head.weight";
    }
  } else if (kind == HeadKind::kSequenceClasses) {
    head.selection = Selection::kLast;
    head.output = linear_spec(names.classifier, names.width, config.num_labels, false);
  } else if (kind == HeadKind::kTokenClasses) {
    head.output = linear_spec(names.token_classifier, names.width, config.num_labels);
    head.dropout = names.dropout;
  } else if (kind == HeadKind::kSpan) {
    head.output = linear_spec("qa_outputs", names.width, 2);
  } else {
    head.selection = Selection::kMean;
  }
  return head;
}

std::optional<BlankTokens> blanks_of(const ModelConfig& config, HeadKind kind) {
  if (kind != HeadKind::kSequenceClasses || !config.pad_token_id) return std::nullopt;
  return BlankTokens{*config.pad_token_id, false, true};
}

std::vector<HeadKind> decoder_heads() {
  return {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kTokenClasses, HeadKind::kSpan, HeadKind::kNone};
}

}  // namespace transformeter
