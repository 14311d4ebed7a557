// Wav2Vec2 (Baevski et al. 2020, arXiv:2006.11477): convolutions over the samples of a sound, then an encoder's layers;
// and HuBERT (Hsu et al. 2021, arXiv:2106.07447), which computes the same. Keys and defaults as in
// transformers/models/{wav2vec2,hubert}; tensors have the names that checkpoints are saved with.
#include <fmt/format.h>

#include <utility>

#include "spec/encoder_spec.h"

namespace transformeter {
namespace {

// Beyond reason: published models have kernels of up to 128.
constexpr std::int64_t kMaxKernel = 1 << 14;
constexpr std::size_t kMaxConvolutions = 100;
constexpr double kEpsilonOfConvolutions = 1e-5;  // norms beside convolutions have LibTorch's

std::vector<std::int64_t> read_list(const ConfigReader& reader, std::string_view key, std::vector<std::int64_t> usual,
                                    std::int64_t most) {
  const Json* value = reader.find(key);
  if (value == nullptr) return usual;
  const auto bad = [&] {
    return reader.bad(key, *value, fmt::format("a list of 1 to {} numbers from 1 to {}", kMaxConvolutions, most));
  };
  if (!value->is_array() || value->empty() || value->size() > kMaxConvolutions) throw bad();
  std::vector<std::int64_t> numbers;
  for (const Json& element : *value) {
    const auto number = whole_number<std::int64_t>(element);
    if (!number || *number < 1 || *number > most) throw bad();
    numbers.push_back(*number);
  }
  return numbers;
}

NormSpec layer_norm(const std::string& name, std::int64_t width, double epsilon) {
  return {name, width, epsilon};
}

bool is_stable(const ConfigReader& reader) {
  return reader.flag("do_stable_layer_norm", false);
}

// Whether each convolution is followed by a norm over channels; else the first alone by one over time.
bool norms_layers(const ConfigReader& reader) {
  const std::string norm = reader.text("feat_extract_norm", "group");
  if (norm != "group" && norm != "layer") throw reader.bad("feat_extract_norm", norm, "\"group\" or \"layer\"");
  return norm == "layer";
}

// What a frame reads, and how far it is to the next: samples that sizes are computed from.
void check_reach(const ConfigReader& reader, const std::vector<std::int64_t>& strides,
                 const std::vector<std::int64_t>& kernels) {
  constexpr std::int64_t kMostSamples = std::int64_t{1} << 28;  // as a sound may have
  std::int64_t step = 1, reach = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    // Neither overflows: both factors are bounded.
    reach += (kernels[i] - 1) * step;
    step *= strides[i];
    if (reach <= kMostSamples && step <= kMostSamples) continue;
    throw reader.bad("conv_stride", Json(strides),
                     "strides that, with conv_kernel, make a frame of at most 2^28 samples");
  }
}

std::vector<WaveLayerSpec> wave_layers(const ConfigReader& reader, const std::string& prefix) {
  const std::vector<std::int64_t> widths =
      read_list(reader, "conv_dim", {512, 512, 512, 512, 512, 512, 512}, kMaxWidth);
  const std::vector<std::int64_t> strides = read_list(reader, "conv_stride", {5, 2, 2, 2, 2, 2, 2}, kMaxKernel);
  const std::vector<std::int64_t> kernels = read_list(reader, "conv_kernel", {10, 3, 3, 3, 3, 2, 2}, kMaxKernel);
  for (const auto& [key, list] : {std::pair("conv_stride", &strides), std::pair("conv_kernel", &kernels)}) {
    if (list->size() == widths.size()) continue;
    throw reader.bad(key, Json(*list), fmt::format("{} numbers, as many as conv_dim has", widths.size()));
  }
  check_reach(reader, strides, kernels);
  const bool has_bias = reader.flag("conv_bias", false);
  const bool all_are_normed = norms_layers(reader);
  std::vector<WaveLayerSpec> layers;
  std::int64_t in = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string name = fmt::format("{}feature_extractor.conv_layers.{}.", prefix, i);
    WaveLayerSpec layer;
    layer.convolution = {
        name + "conv.weight", has_bias ? name + "conv.bias" : "", in, widths[i], kernels[i], strides[i]};
    if (all_are_normed || i == 0) layer.norm = layer_norm(name + "layer_norm", widths[i], kEpsilonOfConvolutions);
    layer.norms_over_time = !all_are_normed;
    layers.push_back(std::move(layer));
    in = widths[i];
  }
  return layers;
}

WaveSpec waves_of(const ConfigReader& reader, const ModelConfig& config) {
  const std::string prefix = config.family() + ".";
  const std::int64_t c = config.hidden_size;
  WaveSpec waves;
  waves.layers = wave_layers(reader, prefix);
  waves.activation = reader.activation("feat_extract_activation", "gelu");
  const std::int64_t features = waves.layers.back().convolution.out;
  const bool has_norm = config.family() != "hubert" || reader.flag("feat_proj_layer_norm", true);
  if (has_norm) {
    waves.norm =
        layer_norm(prefix + "feature_projection.layer_norm", features, reader.number("layer_norm_eps", 1e-5, 1));
  }
  waves.projection = linear_spec(prefix + "feature_projection.projection", features, c);
  waves.dropout = reader.number("feat_proj_dropout", 0, 1);
  const std::string positions = prefix + "encoder.pos_conv_embed.conv.";
  waves.positions.weight = positions + "parametrizations.weight.original1";
  waves.position_gain = positions + "parametrizations.weight.original0";
  waves.positions.bias = positions + "bias";
  waves.positions.in = waves.positions.out = c;
  waves.positions.kernel = reader.integer("num_conv_pos_embeddings", 128, 1, kMaxKernel);
  waves.positions.groups = reader.size("num_conv_pos_embedding_groups", 16);
  return waves;
}

// Transformers hands the word to PyTorch.
CtcSpec ctc_of(const ConfigReader& reader, const ModelConfig& config) {
  const std::string reduction = reader.text("ctc_loss_reduction", "sum");
  if (reduction != "sum" && reduction != "mean" && reduction != "none") {
    throw reader.bad("ctc_loss_reduction", reduction, "\"sum\", \"mean\" or \"none\"");
  }
  return {config.pad_token_id.value_or(0), reduction == "mean", reader.flag("ctc_zero_infinity", false),
          reduction != "none"};
}

void read(const ConfigReader& reader, ModelConfig& config) {
  config.hidden_size = reader.size("hidden_size", 768);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, kMaxLayers);
  config.num_heads = reader.size("num_attention_heads", 12);
  config.vocab_size = reader.integer("vocab_size", 32, 1, kMaxVocabulary);
  config.pad_token_id = 0;
  config.max_length = kMaxPositions;
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
  check_heads(reader, config, "hidden_size", "num_attention_heads");
  config.waves = waves_of(reader, config);
  ctc_of(reader, config);  // a wrong word is found here, whatever is drawn
  if (config.hidden_size % config.waves->positions.groups != 0) {
    throw reader.bad("num_conv_pos_embedding_groups", config.waves->positions.groups,
                     fmt::format("a divisor of hidden_size {}", config.hidden_size));
  }
  reader.require("add_adapter", false, "a convolutional adapter above the encoder is not computed");
  reader.require("conv_pos_batch_norm", false, "batch norm before the positions is not computed");
  if (const Json* width = reader.find("adapter_attn_dim")) {
    throw reader.unsupported("adapter_attn_dim", *width, "adapters of languages inside layers are not computed");
  }
  // Of what training leaves out, of pretraining, and of heads that no task here has.
  reader.ignore({"apply_spec_augment",
                 "mask_time_prob",
                 "mask_time_length",
                 "mask_time_min_masks",
                 "mask_feature_prob",
                 "mask_feature_length",
                 "mask_feature_min_masks",
                 "num_codevectors_per_group",
                 "num_codevector_groups",
                 "contrastive_logits_temperature",
                 "num_negatives",
                 "codevector_dim",
                 "proj_codevector_dim",
                 "diversity_loss_weight",
                 "feat_quantizer_dropout",
                 "layerdrop",
                 "tdnn_dim",
                 "tdnn_kernel",
                 "tdnn_dilation",
                 "xvector_output_dim",
                 "adapter_kernel_size",
                 "adapter_stride",
                 "num_adapter_layers",
                 "output_hidden_size",
                 "num_feat_extract_layers"});
}

LayerSpec layer_of(const ConfigReader& reader, const ModelConfig& config, const std::string& prefix) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", 3072);
  const double epsilon = reader.number("layer_norm_eps", 1e-5, 1);
  LayerSpec layer;
  layer.norm_first = is_stable(reader);
  layer.attention.heads = layer.attention.key_value_heads = config.num_heads;
  layer.attention.head_dim = c / config.num_heads;
  layer.attention.dropout = reader.number("attention_dropout", 0.1, 1);
  for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
    layer.attention.inputs.push_back(linear_spec(prefix + "attention." + part, c, c));
  }
  layer.attention.output = linear_spec(prefix + "attention.out_proj", c, c);
  layer.attention_norm = layer_norm(prefix + "layer_norm", c, epsilon);
  layer.feed_forward.in = linear_spec(prefix + "feed_forward.intermediate_dense", c, inner);
  layer.feed_forward.out = linear_spec(prefix + "feed_forward.output_dense", inner, c);
  layer.feed_forward.activation = reader.activation("hidden_act", "gelu");
  layer.feed_forward.dropout = reader.number("activation_dropout", 0.1, 1);
  layer.feed_forward_norm = layer_norm(prefix + "final_layer_norm", c, epsilon);
  return layer;
}

HeadSpec head_of_sounds(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t projected = reader.size("classifier_proj_size", 256);
  const bool weighs_layers = reader.flag("use_weighted_layer_sum", false);
  HeadSpec head;
  head.dropout = kind == HeadKind::kFrameTokens ? reader.number("final_dropout", 0.1, 1) : 0;
  if (kind == HeadKind::kFrameTokens) {
    head.output = linear_spec("lm_head", c, config.vocab_size);
    head.ctc = ctc_of(reader, config);
    return head;
  }
  head.selection = Selection::kMean;
  if (kind == HeadKind::kAudioFeatures) return head;
  head.dense = linear_spec("projector", c, projected);
  head.dense_on_tokens = true;
  head.output = linear_spec("classifier", projected, config.num_labels);
  if (weighs_layers) head.layer_weights = "layer_weights";
  return head;
}

Blueprint draw(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  const std::string prefix = config.family() + ".encoder.";
  const NormSpec norm = layer_norm(prefix + "layer_norm", c, reader.number("layer_norm_eps", 1e-5, 1));
  Blueprint blueprint;
  blueprint.embedding.width = c;
  blueprint.embedding.waves = config.waves;
  if (is_stable(reader)) {
    blueprint.final_norm = norm;
  } else {
    blueprint.embedding.norm = norm;
  }
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    blueprint.layers.push_back(layer_of(reader, config, fmt::format("{}layers.{}.", prefix, i)));
  }
  blueprint.head = head_of_sounds(reader, config, kind);
  blueprint.hidden_dropout = reader.number("hidden_dropout", 0.1, 1);
  return blueprint;
}

// What pretraining puts in place of masked frames; published counts hold it.
std::vector<TensorSpec> masked_frame(const ModelConfig& config) {
  return {{config.family() + ".masked_spec_embed", {config.hidden_size}, Initialization::kNormal, ""}};
}

Architecture speech_encoder(const std::string& family, const std::string& class_prefix) {
  Architecture architecture;
  architecture.family = family;
  architecture.class_prefix = class_prefix;
  architecture.base_prefixes = {family + "."};
  architecture.heads = {HeadKind::kFrameTokens, HeadKind::kAudioClasses, HeadKind::kAudioFeatures};
  architecture.read = read;
  architecture.draw = draw;
  architecture.ignored_tensors = {"lm_head.", "projector.", "classifier.", "layer_weights"};  // of other tasks
  // What pretraining learns beside the model: no head.
  architecture.ignored_endings = {"masked_spec_embed",          "quantizer.codevectors", "quantizer.weight_proj.weight",
                                  "quantizer.weight_proj.bias", "project_hid.weight",    "project_hid.bias",
                                  "project_q.weight",           "project_q.bias"};
  architecture.unread_parameters = masked_frame;
  return architecture;
}

Json large() {
  return {{"hidden_size", 1024}, {"num_hidden_layers", 24}, {"num_attention_heads", 16}, {"intermediate_size", 4096}};
}

// Trained on Libri-Light's 60,000 hours, with other norms.
Json large_lv60() {
  Json sizes = large();
  sizes.update({{"feat_extract_norm", "layer"}, {"conv_bias", true}, {"do_stable_layer_norm", true}});
  return sizes;
}

}  // namespace

Architecture wav2vec2_architecture() {
  Architecture wav2vec2 = speech_encoder("wav2vec2", "Wav2Vec2");
  const Json test = {{"hidden_size", 64},
                     {"num_hidden_layers", 2},
                     {"num_attention_heads", 2},
                     {"intermediate_size", 256},
                     {"conv_dim", {32, 32, 32, 32, 32, 32, 32}},
                     {"num_conv_pos_embeddings", 16},
                     {"num_conv_pos_embedding_groups", 4}};
  wav2vec2.presets = {{"wav2vec2-test", test},
                      {"wav2vec2-base", Json::object()},
                      {"wav2vec2-large", large()},
                      {"wav2vec2-large-lv60", large_lv60()}};
  return wav2vec2;
}

Architecture hubert_architecture() {
  Architecture hubert = speech_encoder("hubert", "Hubert");
  hubert.presets = {{"hubert-base", Json::object()}};
  return hubert;
}

}  // namespace transformeter
