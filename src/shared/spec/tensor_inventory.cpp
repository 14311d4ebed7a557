// A walk over the blueprint; a test compares it with Transformers' own listing in tests/data/models/inventories.json.
#include "spec/tensor_inventory.h"

#include <optional>
#include <set>
#include <utility>

#include "spec/architecture.h"

namespace transformeter {

namespace {

// Seeded query weights have twice the usual standard deviation where a matrix of their own decides the scores'. Scores
// of deviation 1 spread attention nearly evenly over long texts, whose answers then hardly differ (docs/decisions.md).
constexpr double kQueryGain = 2;

/// Collects tensors in order, each name once: layers may share their weights.
class Inventory {
 public:
  void table(const std::string& name, std::int64_t rows, std::int64_t width, const std::string& tied_name = "",
             double gain = 1) {
    add({name, {rows, width}, Initialization::kNormal, tied_name, 1, gain});
  }

  void linear(const LinearSpec& linear) { linear_with(linear, 1); }
  /// `scale`: of scores, beside 1 / √head_dim.
  void query(const LinearSpec& linear, double scale) { linear_with(linear, kQueryGain / scale); }

  void norm(const NormSpec& norm) {
    const bool begins_at_zero = norm.weight_offset == 1;
    add({norm.name + ".weight", {norm.width}, begins_at_zero ? Initialization::kZeros : Initialization::kOnes, ""});
    if (norm.kind == NormKind::kLayer) add({norm.name + ".bias", {norm.width}, Initialization::kZeros, ""});
  }

  void patches(const PatchSpec& patches) {
    const LinearSpec& projection = patches.projection;
    const std::int64_t width = projection.out;
    using Shape = std::vector<std::int64_t>;
    const Shape token_shape = patches.has_batch_axis ? Shape{1, 1, width} : Shape{width};
    const Shape places = patches.has_batch_axis ? Shape{1, patches.tokens(), width} : Shape{patches.tokens(), width};
    for (const std::string& token : patches.first_tokens) add({token, token_shape, Initialization::kNormal, "", 1});
    add({patches.positions, places, Initialization::kNormal, "", 1});
    add({projection.weight,
         {width, patches.image.channels, patches.patch.height, patches.patch.width},
         Initialization::kNormal,
         "",
         projection.in});
    if (!projection.bias.empty()) add({projection.bias, {width}, Initialization::kZeros, ""});
  }

  void convolution(const ConvolutionSpec& convolution) {
    const std::int64_t inputs = convolution.in / convolution.groups;
    add({convolution.weight,
         {convolution.out, inputs, convolution.kernel},
         Initialization::kNormal,
         "",
         inputs * convolution.kernel});
    if (!convolution.bias.empty()) add({convolution.bias, {convolution.out}, Initialization::kZeros, ""});
  }

  void waves(const WaveSpec& waves) {
    for (const WaveLayerSpec& layer : waves.layers) {
      convolution(layer.convolution);
      if (layer.norm) norm(*layer.norm);
    }
    if (waves.norm) norm(*waves.norm);
    linear(waves.projection);
    convolution(waves.positions);
    add({waves.position_gain, {1, 1, waves.positions.kernel}, Initialization::kOnes, ""});
  }

  void layer_weights(const std::string& name, std::int64_t count) { add({name, {count}, Initialization::kOnes, ""}); }

  void probe(const ProbeSpec& probe) {
    const std::int64_t width = probe.attention.inputs.front().in;
    add({probe.query, {1, 1, width}, Initialization::kNormal, "", 1});
    for (const LinearSpec& input : probe.attention.inputs) linear(input);
    linear(probe.attention.output);
    norm(probe.norm);
    linear(probe.feed_forward.in);
    linear(probe.feed_forward.out);
  }

  void pair_logits(const PairLogitsSpec& logits, bool is_learnt) {
    const auto shape = logits.has_axis ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{};
    const bool is_high = is_learnt && logits.begins_high;
    add({logits.scale, shape, is_high ? Initialization::kLogitScale : Initialization::kZeros, ""});
    if (!logits.bias.empty()) add({logits.bias, shape, Initialization::kZeros, ""});
  }

  void similarities(const SimilaritySpec& similarities) {
    pair_logits(similarities.logits, false);
    const LinearSpec& product = similarities.product;
    TensorSpec texts{product.weight, weight_shape(product), Initialization::kNormal, "", product.in};
    texts.is_computed = true;
    add(std::move(texts));
    if (product.bias.empty()) return;
    TensorSpec bias{product.bias, {product.out}, Initialization::kZeros, ""};
    bias.is_computed = true;
    add(std::move(bias));
  }

  template <typename Spec, typename Add>
  void optional(const std::optional<Spec>& spec, Add add_spec) {
    if (spec) (this->*add_spec)(*spec);
  }

  std::vector<TensorSpec> take() { return std::move(tensors_); }

 private:
  void linear_with(const LinearSpec& linear, double gain) {
    if (!linear.is_tied()) {
      add({linear.weight, weight_shape(linear), Initialization::kNormal, "", linear.in / linear.groups, gain});
    }
    if (!linear.bias.empty()) add({linear.bias, {rows_of(linear)}, Initialization::kZeros, linear.tied_bias});
  }

  // Of the tensors, which may hold other matrices too.
  static std::int64_t rows_of(const LinearSpec& linear) { return linear.is_part() ? linear.stored_rows : linear.out; }

  void add(TensorSpec tensor) {
    if (names_.insert(tensor.name).second) tensors_.push_back(std::move(tensor));
  }

  static std::vector<std::int64_t> weight_shape(const LinearSpec& linear) {
    switch (linear.layout) {
      case WeightLayout::kInOut:
        return {linear.in, linear.out};
      case WeightLayout::kConvolution:
        return {linear.out, linear.in / linear.groups, 1};
      case WeightLayout::kOutIn:
        break;
    }
    return {rows_of(linear), linear.in};
  }

  std::vector<TensorSpec> tensors_;
  std::set<std::string> names_;
};

void add_embedding(Inventory& inventory, const EmbeddingSpec& embedding, const std::string& tied_name,
                   std::int64_t width) {
  if (embedding.patches) {
    inventory.patches(*embedding.patches);
    inventory.optional(embedding.norm, &Inventory::norm);
    return;
  }
  if (embedding.waves) {
    inventory.waves(*embedding.waves);
    inventory.optional(embedding.norm, &Inventory::norm);
    return;
  }
  inventory.table(embedding.words, embedding.vocabulary, embedding.width, tied_name, 1 / embedding.scale);
  if (!embedding.positions.empty()) {
    const std::int64_t position_width = embedding.project_before_positions ? width : embedding.width;
    inventory.table(embedding.positions, embedding.position_rows, position_width);
  }
  if (!embedding.types.empty()) inventory.table(embedding.types, embedding.type_rows, embedding.width);
  inventory.optional(embedding.norm, &Inventory::norm);
  inventory.optional(embedding.projection, &Inventory::linear);
}

void add_attention(Inventory& inventory, const AttentionSpec& attention) {
  const std::vector<LinearSpec>& inputs = attention.inputs;  // query, key, value, or all in one
  const bool has_own_query = inputs.size() > 1 && !attention.query_norm;
  for (const LinearSpec& input : inputs) {
    if (has_own_query && &input == &inputs.front()) {
      inventory.query(input, attention.score_scale);
    } else {
      inventory.linear(input);
    }
  }
  inventory.optional(attention.query_norm, &Inventory::norm);
  inventory.optional(attention.key_norm, &Inventory::norm);
  inventory.linear(attention.output);
}

void add_layer(Inventory& inventory, const LayerSpec& layer) {
  add_attention(inventory, layer.attention);
  inventory.norm(layer.attention_norm);
  if (layer.cross_attention) add_attention(inventory, *layer.cross_attention);
  inventory.optional(layer.cross_attention_norm, &Inventory::norm);
  inventory.optional(layer.attention_output_norm, &Inventory::norm);
  inventory.optional(layer.feed_forward.gate, &Inventory::linear);
  inventory.linear(layer.feed_forward.in);
  inventory.linear(layer.feed_forward.out);
  inventory.norm(layer.feed_forward_norm);
  inventory.optional(layer.feed_forward_output_norm, &Inventory::norm);
}

void add_layers(Inventory& inventory, const std::vector<LayerSpec>& layers, const std::optional<RelativeBiasSpec>& bias,
                const std::optional<NormSpec>& final_norm) {
  for (const LayerSpec& layer : layers) add_layer(inventory, layer);
  if (bias) inventory.table(bias->table, bias->rows, bias->heads);
  inventory.optional(final_norm, &Inventory::norm);
}

void add_text_tower(Inventory& inventory, const TextTowerSpec& tower) {
  add_embedding(inventory, tower.embedding, "", tower.embedding.width);
  add_layers(inventory, tower.layers, std::nullopt, tower.final_norm);
  inventory.optional(tower.head.output, &Inventory::linear);
  inventory.pair_logits(tower.logits, true);
}

}  // namespace

std::int64_t TensorSpec::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::vector<TensorSpec> tensor_inventory(const ModelConfig& config, Task task) {
  if (config.architecture->inventory) {
    check_task(config, task);
    return config.architecture->inventory(ConfigReader(config.source, config.family()), config, head_of(task));
  }
  const Blueprint blueprint = draw_blueprint(config, task);
  const HeadSpec& head = blueprint.head;
  Inventory inventory;
  add_embedding(inventory, blueprint.embedding, head.output ? head.output->tied_weight : "", config.hidden_size);
  add_layers(inventory, blueprint.layers, blueprint.relative_bias, blueprint.final_norm);
  if (const std::optional<DecoderSpec>& decoder = blueprint.decoder) {
    add_layers(inventory, decoder->layers, decoder->relative_bias, decoder->final_norm);
  }
  inventory.optional(blueprint.final_projection, &Inventory::linear);
  if (!head.layer_weights.empty()) {
    inventory.layer_weights(head.layer_weights, static_cast<std::int64_t>(blueprint.layers.size()) + 1);
  }
  inventory.optional(head.probe, &Inventory::probe);
  inventory.optional(head.dense, &Inventory::linear);
  inventory.optional(head.norm, &Inventory::norm);
  inventory.optional(head.output, &Inventory::linear);
  inventory.optional(head.similarities, &Inventory::similarities);
  if (blueprint.text_tower) add_text_tower(inventory, *blueprint.text_tower);
  return inventory.take();
}

std::vector<TensorSpec> base_inventory(const ModelConfig& config) {
  const Architecture& architecture = *config.architecture;
  std::vector<TensorSpec> tensors = tensor_inventory(config, base_task(architecture));
  const auto append = [&](const std::vector<TensorSpec>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  if (has_two_towers(architecture)) append(tensor_inventory(config, Task::kEmbedding));
  if (architecture.unread_parameters) append(architecture.unread_parameters(config));
  if (!architecture.pooler) return tensors;
  Inventory pooler;
  pooler.linear(architecture.pooler(config));
  append(pooler.take());
  return tensors;
}

}  // namespace transformeter
