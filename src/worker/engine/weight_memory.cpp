// Product by product, in the order of the blueprint.
#include "engine/weight_memory.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/activation_rows.h"
#include "engine/one_dnn_activation.h"
#include "engine/widened_linear.h"
#include "schema/linear_types.h"
#include "spec/architecture.h"
#include "spec/config_reader.h"
#include "spec/tensor_inventory.h"

namespace transformeter {
namespace {

// A product with weights side by side, and what is computed with it.
struct PlannedProduct {
  std::vector<LinearSpec> specs;
  bool is_last = false;  // of the tokens that are needed
  std::string what;      // as ProductUse has it
};

class ProductList {
 public:
  ProductList(const Blueprint& blueprint, const WeightPlan& plan) : plan_(plan) {
    if (blueprint.embedding.projection) add({*blueprint.embedding.projection}, false, "");
    if (blueprint.embedding.waves) add({blueprint.embedding.waves->projection}, false, "");
    const bool leaves_out = plan.leaves_out_tokens && (blueprint.needs_one_token() || needs_last_token(blueprint));
    // Convolutions take weights as they are.
    const std::size_t layers = blueprint.channels_first ? 0 : blueprint.layers.size();
    for (std::size_t i = 0; i < layers; ++i) {
      add_layer(blueprint.layers[i], leaves_out && i + 1 == layers);
    }
    if (blueprint.decoder) {
      for (const LayerSpec& layer : blueprint.decoder->layers) add_layer(layer, decodes(), decodes());
    }
    const HeadSpec& head = blueprint.head;
    const bool reads_one = head.selection != Selection::kAll || plan.linears.decodes;
    if (blueprint.final_projection) add({*blueprint.final_projection}, leaves_out || plan.linears.decodes, "");
    const auto activation = head.dense ? head.activation : std::nullopt;
    if (head.probe) add_probe(*head.probe);
    if (head.dense) {
      add({*head.dense}, reads_one && !head.dense_on_tokens,
          activation ? std::string(activation_name(*activation)) : "");
    }
    if (head.output) add({*head.output}, reads_one, "");
    if (head.similarities) add({head.similarities->product}, reads_one, "");
  }
  const std::vector<PlannedProduct>& all() const { return all_; }

 private:
  void add(std::vector<LinearSpec> specs, bool is_last, std::string what) {
    if (specs.size() == 1 || joins()) {
      all_.push_back({std::move(specs), is_last, std::move(what)});
      return;
    }
    for (const LinearSpec& spec : specs) all_.push_back({{spec}, is_last, what});
  }
  bool joins() const { return plan_.linears.fused; }
  bool decodes() const { return plan_.linears.decodes; }

  // Whether requests read the last token of a prompt. A layer with a window computes all of them.
  bool needs_last_token(const Blueprint& blueprint) const {
    return decodes() && !blueprint.decoder && blueprint.layers.back().attention.window == 0;
  }

  // `is_last`: after attention only needed tokens are computed. `is_step`: the whole layer computes only those, except
  // keys and values of an encoded text.
  void add_layer(const LayerSpec& layer, bool is_last, bool is_step = false) {
    add(layer.attention.inputs, is_step, "");
    add({layer.attention.output}, is_last, layer.attention_output_norm ? "" : "residual");
    if (layer.cross_attention) {
      const std::vector<LinearSpec>& inputs = layer.cross_attention->inputs;
      add({inputs[0]}, is_step, "");
      add({inputs[1], inputs[2]}, false, "");
      add({layer.cross_attention->output}, is_step, "residual");
    }
    const FeedForwardSpec& feed_forward = layer.feed_forward;
    const std::string activation(activation_name(feed_forward.activation));
    if (!feed_forward.gate) {
      add({feed_forward.in}, is_last, feed_forward.holds_gate ? "" : activation);
    } else if (joins()) {
      add({*feed_forward.gate, feed_forward.in}, is_last, "");
    } else {
      add({*feed_forward.gate}, is_last, activation);
      add({feed_forward.in}, is_last, "");
    }
    add({feed_forward.out}, is_last, layer.feed_forward_output_norm ? "" : "residual");
  }

  // One query of each row; keys and values of all tokens.
  void add_probe(const ProbeSpec& probe) {
    add({probe.attention.inputs[0]}, true, "");
    add({probe.attention.inputs[1]}, false, "");
    add({probe.attention.output}, true, "");
    add({probe.feed_forward.in}, true, std::string(activation_name(probe.feed_forward.activation)));
    add({probe.feed_forward.out}, true, "residual");
  }

  const WeightPlan& plan_;
  std::vector<PlannedProduct> all_;
};

// Nothing without MKL, which LibTorch links in.
std::optional<double> mkl_packed_bytes(std::int64_t rows, std::int64_t in, std::int64_t out) {
  using PackedSize = std::size_t(int matrix, int rows, int columns, int depth);
  constexpr int kRightMatrix = 162;  // CblasBMatrix
  static auto* const kPackedSize = reinterpret_cast<PackedSize*>(::dlsym(RTLD_DEFAULT, "cblas_sgemm_pack_get_size"));
  if (kPackedSize == nullptr) return std::nullopt;
  return static_cast<double>(
      kPackedSize(kRightMatrix, static_cast<int>(rows), static_cast<int>(out), static_cast<int>(in)));
}

class Forms {
 public:
  Forms(const Blueprint& blueprint, const WeightPlan& plan) : plan_(plan), steps_over_all_(!blueprint.decoder) {}

  /// Adds the form of the product's weights, unless a layer before had it. False: they are used as they are.
  bool add(const PlannedProduct& product) {
    const std::optional<double> bytes = form_bytes(product);
    if (!bytes) return false;
    std::vector<std::string> key;
    for (const LinearSpec& spec : product.specs) key.insert(key.end(), {spec.key(), spec.bias});
    // Static int8 has a range, and so a form, for each layer.
    const bool is_new = forms_.insert({key, use_of(product)}).second;
    if (is_new || plan_.linears.precision == "int8_static") memory_.allocated += *bytes;
    return true;
  }
  WeightMemory& memory() { return memory_; }

 private:
  static std::int64_t outputs(const PlannedProduct& product) {
    std::int64_t sum = 0;
    for (const LinearSpec& spec : product.specs) sum += spec.out;
    return sum;
  }

  const std::set<std::int64_t>& rows_of(const PlannedProduct& product) const {
    return product.is_last ? plan_.last_rows : plan_.rows;
  }

  // Layers that are asked for different things may have different kernels, and so forms of their own.
  std::string use_of(const PlannedProduct& product) const {
    if (!chooses_kernels(plan_.linears) || chooses_by_rows(plan_.linears)) return "";
    return product.what + (product.is_last ? " last" : "");
  }

  std::optional<double> form_bytes(const PlannedProduct& product) {
    const std::int64_t in = product.specs.front().in, out = outputs(product);
    const double count = static_cast<double>(in) * static_cast<double>(out);
    const std::string& precision = plan_.linears.precision;
    const bool is_int8 = precision.rfind("int8", 0) == 0 && std::min(in, out) >= kSmallestInt8Side;
    if (is_int8) return count + 4 * static_cast<double>(out);
    const double bytes = count * static_cast<double>(plan_.bytes_per_weight);
    if (chooses_by_rows(plan_.linears)) {
      note_widened(product);
    } else if (chooses_kernels(plan_.linears)) {
      return tried_bytes(product, bytes);
    }
    if (plan_.linears.prepacked || product.specs.size() > 1) return bytes;
    return std::nullopt;
  }

  // Weights are as they are; each number of rows has a kernel of its own.
  void note_widened(const PlannedProduct& product) {
    std::set<std::int64_t> rows = rows_of(product);
    if (plan_.step_rows > 0 && (steps_over_all_ || product.is_last)) rows.insert(plan_.step_rows);
    for (const std::int64_t count : rows) {
      const ProductChoice* choice = chosen_for(product, {count});
      if (choice == nullptr) memory_.is_known = false;
      if (choice != nullptr && !is_widened(choice->kernel)) continue;
      memory_.widened.insert({product.specs.front().in, outputs(product), count});
    }
  }

  const ProductChoice* chosen_for(const PlannedProduct& product, const std::set<std::int64_t>& rows) const {
    ProductSize size{.inputs = product.specs.front().in,
                     .outputs = outputs(product),
                     .has_bias = !product.specs.front().bias.empty(),
                     .is_fused = plan_.linears.fused,
                     .threads = plan_.threads,
                     .uses = {},
                     .precision = plan_.linears.precision,
                     .has_plain_weights = chooses_by_rows(plan_.linears)};
    for (const std::int64_t count : rows) size.uses.push_back({count, product.what});
    return plan_.chosen ? plan_.chosen(size) : nullptr;
  }

  std::optional<double> tried_bytes(const PlannedProduct& product, double bytes) {
    if (plan_.linears.precision == "bf16") return tried_narrow_bytes(product, bytes);
    const std::set<std::int64_t>& rows = rows_of(product);
    const std::int64_t in = product.specs.front().in, out = outputs(product);
    const auto packed = rows.size() == 1 ? mkl_packed_bytes(*rows.begin(), in, out) : std::nullopt;
    if (!packed && rows.size() == 1 && at::hasMKL()) memory_.is_known = false;  // its size cannot be asked for
    if (!packed || plan_.linears.kernel == "mkl") return packed.value_or(bytes);
    const ProductChoice* choice = chosen_for(product, rows);
    if (choice == nullptr) memory_.is_known = false;
    if (choice == nullptr || choice->kernel == "mkl_prepacked") return *packed;
    if (choice->kernel == "linear" && product.specs.size() == 1) return std::nullopt;
    return bytes;
  }

  // All forms are of one size. The last layer may multiply weights of the same size by fewer rows, with another kernel.
  std::optional<double> tried_narrow_bytes(const PlannedProduct& product, double bytes) {
    const std::set<std::int64_t>& rows = rows_of(product);
    const ProductChoice* choice = chosen_for(product, rows);
    if (choice == nullptr) memory_.is_known = false;
    if (choice == nullptr || is_widened(choice->kernel)) {
      const auto only = rows.size() == 1 ? std::optional(*rows.begin()) : std::nullopt;
      memory_.widened.insert({product.specs.front().in, outputs(product), only});
    }
    if (choice == nullptr || choice->kernel == "onednn_prepacked") return bytes;
    return product.specs.size() == 1 ? std::nullopt : std::optional(bytes);
  }

  const WeightPlan& plan_;
  bool steps_over_all_;  // products over all tokens of a prompt are computed of each new one too
  WeightMemory memory_;
  std::set<std::pair<std::vector<std::string>, std::string>> forms_;
};

}  // namespace

ActivationForm activation_form(const LinearOptions& options, Activation activation) {
  if (!options.fused || options.precision == "int8_weight_only") return ActivationForm::kNewTensor;
  if (options.precision == "int8") {
    return row_activation(activation) != nullptr ? ActivationForm::kBytes : ActivationForm::kNewTensor;
  }
  if (!one_dnn_activation(activation)) return ActivationForm::kNewTensor;
  return options.precision == "int8_static" ? ActivationForm::kBytes : ActivationForm::kInPlace;
}

bool adds_in_place(const LinearOptions& options) {
  return options.fused && options.precision != "int8_weight_only";
}

WeightMemory weight_memory(const ModelConfig& config, Task task, const WeightPlan& plan) {
  const Blueprint blueprint = draw_blueprint(config, task);
  Forms forms(blueprint, plan);
  std::set<std::string> rearranged;
  std::set<std::string> plain;  // a layer takes them as they are, though others may not
  const ProductList products(blueprint, plan);
  for (const PlannedProduct& product : products.all()) {
    std::set<std::string>& kept = forms.add(product) ? rearranged : plain;
    for (const LinearSpec& spec : product.specs) kept.insert(spec.weight);
  }
  const std::optional<WaveSpec>& waves = blueprint.embedding.waves;
  WeightMemory memory = forms.memory();
  for (const TensorSpec& tensor : tensor_inventory(config, task)) {
    // A table of words that is also a matrix is kept for looking words up.
    const bool is_plain = plain.count(tensor.name) != 0 || tensor.name == blueprint.embedding.words;
    if (rearranged.count(tensor.name) != 0 && !is_plain) continue;
    const double bytes = static_cast<double>(tensor.element_count() * plan.bytes_per_weight);
    const bool is_mapped = plan.mapped.count(tensor.name) != 0;
    (is_mapped ? memory.mapped : memory.allocated) += bytes;
    // The model keeps the product of gain and direction.
    const bool is_normalized = waves && tensor.name == waves->positions.weight;
    if (is_mapped && is_normalized) memory.allocated += bytes;
  }
  return memory;
}

}  // namespace transformeter
