// GPT-2 (Radford et al. 2019). Matrices are stored transposed, and query, key and value lie side by side in one. Names
// and defaults as in transformers/models/gpt2.
#include <fmt/format.h>

#include <cmath>

#include "spec/decoder_spec.h"

namespace transformeter {

namespace {

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 50257, 1, kMaxVocabulary);
  config.hidden_size = reader.size("n_embd", 768);
  config.num_layers = reader.integer("n_layer", 12, 1, kMaxLayers);
  config.num_heads = reader.size("n_head", 12);
  config.max_length = reader.integer("n_positions", 1024, 1, kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  if (config.hidden_size % config.num_heads != 0) {
    throw reader.bad("n_embd", config.hidden_size, fmt::format("a multiple of n_head {}", config.num_heads));
  }
  // In which precision scores are added up, of the double-heads model, and the older name of n_positions.
  reader.ignore({"reorder_and_upcast_attn", "summary_activation", "summary_first_dropout", "summary_proj_to_labels",
                 "summary_type", "summary_use_proj", "n_ctx", "classifier_dropout", "hidden_dropout"});
}

LinearSpec transposed(const std::string& prefix, std::int64_t in, std::int64_t out) {
  LinearSpec spec = linear_spec(prefix, in, out);
  spec.layout = WeightLayout::kInOut;
  return spec;
}

// Of layer `index`, from 0.
double score_scale(const ConfigReader& reader, std::int64_t head_dim, std::int64_t index) {
  double scale = reader.flag("scale_attn_weights", true) ? 1 : std::sqrt(static_cast<double>(head_dim));
  if (reader.flag("scale_attn_by_inverse_layer_idx", false)) scale /= static_cast<double>(index + 1);
  return scale;
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, std::int64_t index) {
  const std::string prefix = fmt::format("transformer.h.{}.", index);
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("n_inner", 4 * c);
  const double epsilon = reader.number("layer_norm_epsilon", 1e-5, 1);
  LayerSpec layer;
  layer.norm_first = true;
  layer.attention.heads = layer.attention.key_value_heads = config.num_heads;
  layer.attention.head_dim = c / config.num_heads;
  layer.attention.inputs = {transposed(prefix + "attn.c_attn", c, 3 * c)};
  layer.attention.output = transposed(prefix + "attn.c_proj", c, c);
  layer.attention.dropout = reader.number("attn_pdrop", 0.1, 1);
  layer.attention.score_scale = score_scale(reader, layer.attention.head_dim, index);
  layer.attention_norm = {prefix + "ln_1", c, epsilon};
  layer.feed_forward.in = transposed(prefix + "mlp.c_fc", c, inner);
  layer.feed_forward.out = transposed(prefix + "mlp.c_proj", inner, c);
  layer.feed_forward.activation = reader.activation("activation_function", "gelu_new");
  layer.feed_forward_norm = {prefix + "ln_2", c, epsilon};
  return layer;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  Blueprint blueprint;
  EmbeddingSpec& embedding = blueprint.embedding;
  embedding.words = "transformer.wte.weight";
  embedding.vocabulary = config.vocab_size;
  embedding.width = config.hidden_size;
  embedding.positions = "transformer.wpe.weight";
  embedding.position_rows = config.max_length;
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, i));
  }
  blueprint.final_norm = NormSpec{"transformer.ln_f", config.hidden_size, reader.number("layer_norm_epsilon", 1e-5, 1)};
  DecoderHeadNames names;
  names.ties_words = true;
  names.width = config.hidden_size;
  names.token_classifier = "classifier";
  names.dropout = 0.1;
  finish_decoder(reader, config, names, kind, blueprint);
  blueprint.hidden_dropout = reader.number("resid_pdrop", reader.number("embd_pdrop", 0.1, 1), 1);
  return blueprint;
}

Json sizes(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {{"n_layer", layers},   {"n_embd", width},     {"n_head", heads},
          {"n_positions", 1024}, {"vocab_size", 50257}, {"eos_token_id", 50256}};
}

}  // namespace

Architecture gpt2_architecture() {
  Architecture gpt2;
  gpt2.family = "gpt2";
  gpt2.class_prefix = "GPT2";
  gpt2.causal_lm_class = "GPT2LMHeadModel";
  gpt2.base_prefixes = {"transformer."};
  gpt2.heads = decoder_heads();
  gpt2.read = read;
  gpt2.refused_keys = cache_keys();
  // Other names of n_embd and the like, which Transformers takes too.
  for (const char* key : {"hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings"}) {
    gpt2.refused_keys->emplace_back(key);
  }
  gpt2.draw = draw;
  gpt2.ignored_tensors = {"score.", "classifier.", "qa_outputs.", "lm_head.", "multiple_choice_head."};
  gpt2.ignored_endings = {".attn.bias", ".attn.masked_bias"};  // the causal mask
  gpt2.presets = {{"gpt2-test", sizes(2, 64, 2)},
                  {"gpt2", sizes(12, 768, 12)},
                  {"gpt2-medium", sizes(24, 1024, 16)},
                  {"gpt2-large", sizes(36, 1280, 20)},
                  {"gpt2-xl", sizes(48, 1600, 25)}};
  return gpt2;
}

}  // namespace transformeter
