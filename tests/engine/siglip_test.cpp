// What SigLIP alone has: that the references tell each part of it from its neighbours.
#include <ATen/TensorOperators.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "engine/family_testing.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

void keep_siglip(Blueprint&) {}

class Siglip : public testing::Test {
 protected:
  // How far the outputs of the tower are from Transformers' where its blueprint is changed.
  double error_of(Task task, const std::string& batch, const Change& change, const LinearOptions& linears = {}) const {
    const at::Tensor expected = reference_.at(fmt::format("{}.{}", batch, name_of(task)));
    return (outputs(task, batch, change, {}, linears) - expected).abs().max().item<double>();
  }

  // Of classes the rows of their texts, and what is added to each logit.
  struct ClassTerms {
    at::Tensor rows, bias;
  };

  double zero_shot_error(const ClassTerms& terms, const Change& change = keep_siglip,
                         const LinearOptions& linears = {}) const {
    const at::Tensor logits = outputs(Task::kZeroShotImageClassification, "unpadded", change, terms, linears);
    return (logits - reference_.at("zero_shot.logits_per_image")).abs().max().item<double>();
  }

  at::Tensor outputs(Task task, const std::string& batch, const Change& change, const ClassTerms& terms,
                     const LinearOptions& linears) const {
    Checkpoint checkpoint = open_checkpoint(folder_);
    ModelConfig config = checkpoint.config;
    if (terms.rows.defined()) config.num_labels = terms.rows.size(0);
    config.architecture = changed(*config.architecture, change);
    Parameters parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
    if (terms.rows.defined()) {
      parameters.add("zero_shot.weight", terms.rows);
      parameters.add("zero_shot.bias", terms.bias);
    }
    parameters.use_linears(make_linears(linears));
    EngineOptions options;
    options.fused = options.needed_tokens = linears.fused;
    const auto device = make_device("cpu");
    const InferenceEngine engine(make_transformer(config, task, parameters), options, *device);
    const Batch rows = reads_images(task) ? image_batch(reference_.at(batch + ".pixel_values"), config.image_tokens)
                                          : batch_of(reference_, batch);
    return engine.forward(engine.stage(rows));
  }

  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-siglip";
  Reference reference_{folder_ / "reference.safetensors"};
};

constexpr double kWrongSiglip = 0.01;
constexpr double kSameSiglip = 1e-4;

TEST_F(Siglip, AWrongTextTowerShows) {
  const auto error = [&](const char* batch, const Change& change) { return error_of(Task::kEmbedding, batch, change); };
  for (const char* batch : {"unpadded", "right"}) EXPECT_LE(error(batch, keep_siglip), kSameSiglip) << batch;
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.is_causal = true; }), kWrongSiglip);
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.head.selection = Selection::kFirst; }),
            kWrongSiglip);
  EXPECT_GT(error("right", [](Blueprint& blueprint) { blueprint.end = EndToken{}; }), kWrongSiglip) << "the largest id";
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.final_norm.reset(); }), kWrongSiglip);
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.head.output->bias.clear(); }), kWrongSiglip);
}

TEST_F(Siglip, AWrongVisionTowerShows) {
  const auto error = [&](const Change& change) { return error_of(Task::kImageEmbedding, "unpadded", change); };
  EXPECT_LE(error(keep_siglip), kSameSiglip);
  const auto changed_probe = [&](const std::function<void(ProbeSpec&)>& change) {
    return error([&](Blueprint& blueprint) { change(*blueprint.head.probe); });
  };
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.final_norm.reset(); }), kWrongSiglip);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.embedding.patches->projection.bias.clear(); }), kWrongSiglip);
  EXPECT_GT(error([](Blueprint& blueprint) {
              blueprint.head.probe.reset();
              blueprint.head.selection = Selection::kMean;
            }),
            kWrongSiglip)
      << "the mean of all patches";
  EXPECT_GT(changed_probe([](ProbeSpec& probe) { probe.attention.heads = 1, probe.attention.head_dim = 24; }),
            kWrongSiglip);
  EXPECT_GT(changed_probe([](ProbeSpec& probe) { probe.attention.inputs[0].first_row = 24; }), kWrongSiglip)
      << "the query by the keys' rows";
  EXPECT_GT(changed_probe([](ProbeSpec& probe) { probe.attention.inputs[1].first_row = 0; }), kWrongSiglip)
      << "keys and values by the rows before theirs";
  EXPECT_GT(changed_probe([](ProbeSpec& probe) { probe.feed_forward.activation = Activation::kRelu; }), kWrongSiglip);
  EXPECT_GT(changed_probe([](ProbeSpec& probe) { probe.norm.name = "vision_model.post_layernorm"; }), kWrongSiglip);
}

TEST_F(Siglip, FastKernelsPoolAlike) {
  for (const bool prepacked : {false, true}) {
    EXPECT_LE(error_of(Task::kImageEmbedding, "unpadded", keep_siglip, {.prepacked = prepacked, .fused = true}),
              kSameSiglip);
  }
}

TEST_F(Siglip, AWrongProductOfImagesAndTextsShows) {
  const at::Tensor vectors = reference_.at("zero_shot.text_features");
  const at::Tensor unit = vectors / vectors.norm(2, -1, true);
  const Parameters stored =
      checkpoint_parameters(open_checkpoint(folder_), Task::kZeroShotImageClassification, at::kFloat);
  const at::Tensor scale = stored.at("logit_scale").exp(), bias = stored.at("logit_bias").expand({3}).contiguous();
  EXPECT_LE(zero_shot_error({scale * unit, bias}), kSameSiglip);
  EXPECT_LE(zero_shot_error({scale * unit, bias}, keep_siglip, {.prepacked = true, .fused = true}), kSameSiglip);
  EXPECT_GT(zero_shot_error({scale * unit, bias * 0}), kWrongSiglip) << "without the bias";
  EXPECT_GT(zero_shot_error({unit, bias}), kWrongSiglip) << "without the scale";
  EXPECT_GT(zero_shot_error({scale * vectors, bias}), kWrongSiglip) << "texts that are not normalised";
  EXPECT_GT(zero_shot_error({(scale * unit).flip(0), bias}), kWrongSiglip) << "classes in another order";
}

}  // namespace
}  // namespace transformeter
