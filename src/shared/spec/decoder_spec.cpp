// Heads as in transformers/modeling_layers.py of Transformers 5.23.
#include "spec/decoder_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace transformeter {
namespace {

// is_causal, which embedding models set to false: every token sees all others then.
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

// Classes of a text are read from its last token that is not the padding's, whether padding or not.
std::optional<BlankTokens> blanks_of(const ModelConfig& config, HeadKind kind) {
  if (kind != HeadKind::kSequenceClasses || !config.pad_token_id) return std::nullopt;
  return BlankTokens{*config.pad_token_id, false, true};
}

}  // namespace

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

void finish_decoder(const ConfigReader& reader, const ModelConfig& config, const DecoderHeadNames& names, HeadKind kind,
                    Blueprint& blueprint) {
  blueprint.head = decoder_head(reader, config, blueprint.embedding, names, kind);
  blueprint.is_causal = reads_causally(reader, blueprint.layers);
  blueprint.positions_skip_padding = true;
  blueprint.blanks = blanks_of(config, kind);
}

std::int64_t rotated_head_dim(const ConfigReader& reader, std::int64_t fallback) {
  const std::int64_t width = reader.size("head_dim", fallback);
  if (width % 2 != 0) throw reader.bad("head_dim", width, "an even number, since dimensions are rotated in pairs");
  return width;
}

AttentionSpec grouped_attention(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix,
                                const GroupedHeads& heads) {
  const std::int64_t c = config.hidden_size;
  AttentionSpec attention;
  attention.heads = config.num_heads;
  attention.key_value_heads = reader.size("num_key_value_heads", heads.key_value_heads);
  if (config.num_heads % attention.key_value_heads != 0) {
    throw reader.bad("num_key_value_heads", attention.key_value_heads,
                     fmt::format("a divisor of num_attention_heads {}", config.num_heads));
  }
  attention.head_dim = heads.head_dim;
  const std::int64_t queries = attention.heads * attention.head_dim;
  const std::int64_t keys = attention.key_value_heads * attention.head_dim;
  attention.inputs = {linear_spec(prefix + "q_proj", c, queries, heads.has_input_bias),
                      linear_spec(prefix + "k_proj", c, keys, heads.has_input_bias),
                      linear_spec(prefix + "v_proj", c, keys, heads.has_input_bias)};
  attention.output = linear_spec(prefix + "o_proj", queries, c, heads.has_output_bias);
  attention.dropout = reader.number("attention_dropout", 0, 1);
  return attention;
}

std::vector<HeadKind> decoder_heads() {
  return {HeadKind::kNextToken, HeadKind::kSequenceClasses, HeadKind::kTokenClasses, HeadKind::kSpan, HeadKind::kNone};
}

}  // namespace transformeter
