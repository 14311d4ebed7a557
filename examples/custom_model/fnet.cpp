// Specification and module in one file: what an architecture outside the tree needs.
#include "fnet.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/fft_fft2.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/real.h>
#include <ATen/ops/tanh.h>
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace example {
namespace {

using transformeter::Activation;
using transformeter::ConfigReader;
using transformeter::HeadKind;
using transformeter::Initialization;
using transformeter::linear_spec;
using transformeter::LinearKernel;
using transformeter::ModelConfig;
using transformeter::ModelInputs;
using transformeter::Operators;
using transformeter::Parameters;
using transformeter::TensorSpec;

constexpr double kEpsilon = 1e-12;

void read(const ConfigReader& reader, ModelConfig& config) {
  config.vocab_size = reader.integer("vocab_size", 259, 1, transformeter::kMaxVocabulary);
  config.hidden_size = reader.size("hidden_size", 768);
  config.num_layers = reader.integer("num_hidden_layers", 12, 1, transformeter::kMaxLayers);
  config.num_heads = 1;  // there is no attention
  config.max_length = reader.integer("max_position_embeddings", 512, 1, transformeter::kMaxPositions);
  config.initializer_range = reader.number("initializer_range", 0.02, 1000);
}

void add_linear(std::vector<TensorSpec>& tensors, const std::string& name, std::int64_t in, std::int64_t out) {
  tensors.push_back({name + ".weight", {out, in}, Initialization::kNormal, ""});
  tensors.push_back({name + ".bias", {out}, Initialization::kZeros, ""});
}

void add_norm(std::vector<TensorSpec>& tensors, const std::string& name, std::int64_t width) {
  tensors.push_back({name + ".weight", {width}, Initialization::kOnes, ""});
  tensors.push_back({name + ".bias", {width}, Initialization::kZeros, ""});
}

std::vector<TensorSpec> inventory(const ConfigReader& reader, const ModelConfig& config, HeadKind kind) {
  const std::int64_t c = config.hidden_size;
  const std::int64_t inner = reader.size("intermediate_size", 4 * c);
  std::vector<TensorSpec> tensors = {{"fnet.words.weight", {config.vocab_size, c}, Initialization::kNormal, "", 1},
                                     {"fnet.positions.weight", {config.max_length, c}, Initialization::kNormal, "", 1}};
  for (std::int64_t i = 0; i < config.num_layers; ++i) {
    const std::string layer = fmt::format("fnet.layers.{}.", i);
    add_norm(tensors, layer + "mixing_norm", c);
    add_linear(tensors, layer + "in", c, inner);
    add_linear(tensors, layer + "out", inner, c);
    add_norm(tensors, layer + "output_norm", c);
  }
  if (kind == HeadKind::kSequenceClasses) add_linear(tensors, "classifier", c, config.num_labels);
  return tensors;
}

struct Norm {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& input) const {
    return at::layer_norm(input, weight.sizes(), weight, bias, kEpsilon);
  }
};

Norm norm(const Parameters& parameters, const std::string& name) {
  return {parameters.at(name + ".weight"), parameters.at(name + ".bias")};
}

using Linear = std::shared_ptr<const LinearKernel>;

struct Layer {
  Norm mixing_norm;
  Linear in, out;
  Norm output_norm;

  /// [B, T, C] to [B, T, C]: the real part of a Fourier transform over tokens and width, then a feed-forward network.
  at::Tensor forward(const at::Tensor& hidden) const {
    // There is no transform in bf16.
    const at::Tensor mixed = at::real(at::fft_fft2(hidden.to(at::kFloat))).to(hidden.scalar_type());
    const at::Tensor states = mixing_norm(hidden + mixed);
    return output_norm(out->added(in->activated(states, Activation::kGelu), states));
  }
};

class Fnet final : public transformeter::Model {
 public:
  Fnet(const ModelConfig& config, HeadKind kind, const Parameters& parameters)
      : words_(parameters.at("fnet.words.weight")), positions_(parameters.at("fnet.positions.weight")) {
    for (std::int64_t i = 0; i < config.num_layers; ++i) {
      const std::string at = fmt::format("fnet.layers.{}.", i);
      layers_.push_back({norm(parameters, at + "mixing_norm"), parameters.linear(linear_spec(at + "in", 0, 0)),
                         parameters.linear(linear_spec(at + "out", 0, 0)), norm(parameters, at + "output_norm")});
    }
    if (kind == HeadKind::kSequenceClasses) classifier_ = parameters.linear(linear_spec("classifier", 0, 0));
  }

  at::Tensor forward(const ModelInputs& inputs, const Operators& /*operators*/) const override {
    at::Tensor hidden = at::embedding(words_, inputs.input_ids) + positions_.slice(0, 0, inputs.input_ids.size(1));
    for (const Layer& layer : layers_) hidden = layer.forward(hidden);
    const at::Tensor first = hidden.select(1, 0);
    return classifier_ != nullptr ? classifier_->forward(first) : first;
  }

 private:
  at::Tensor words_, positions_;
  std::vector<Layer> layers_;
  Linear classifier_;
};

transformeter::Json sizes(std::int64_t layers, std::int64_t width) {
  return {{"num_hidden_layers", layers},
          {"hidden_size", width},
          {"intermediate_size", 4 * width},
          {"max_position_embeddings", 512}};
}

}  // namespace

transformeter::Architecture fnet_architecture() {
  transformeter::Architecture fnet;
  fnet.family = "fnet";
  fnet.class_prefix = "FNet";
  fnet.base_prefixes = {"fnet."};
  fnet.heads = {HeadKind::kSequenceClasses, HeadKind::kNone};
  fnet.read = read;
  fnet.inventory = inventory;
  fnet.ignored_tensors = {"classifier."};
  fnet.presets = {{"fnet-test", sizes(2, 64)}, {"fnet-base", sizes(12, 768)}};
  return fnet;
}

std::unique_ptr<transformeter::Model> make_fnet(const ModelConfig& config, transformeter::Task task,
                                                const Parameters& parameters) {
  return std::make_unique<Fnet>(config, head_of(task), parameters);
}

}  // namespace example
