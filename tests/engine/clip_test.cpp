// What CLIP alone has: that the references tell each part of it from its neighbours.
#include <ATen/TensorOperators.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "engine/family_testing.h"
#include "model/transformer.h"
#include "spec/architecture.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

class Clip : public testing::Test {
 protected:
  // How far the outputs of the tower are from Transformers' where its blueprint is changed.
  double error_of(Task task, const std::string& batch, const Change& change) const {
    const at::Tensor expected = reference_.at(fmt::format("{}.{}", batch, name_of(task)));
    return (outputs(task, batch, change, {}, {}) - expected).abs().max().item<double>();
  }

  // The same of the logits of classes with these rows of their texts, in an engine.
  double zero_shot_error(
      const at::Tensor& rows, const Change& change = [](Blueprint&) {}, const LinearOptions& linears = {}) const {
    const at::Tensor logits = outputs(Task::kZeroShotImageClassification, "unpadded", change, rows, linears);
    return (logits - reference_.at("zero_shot.logits_per_image")).abs().max().item<double>();
  }

  at::Tensor outputs(Task task, const std::string& batch, const Change& change, const at::Tensor& class_rows,
                     const LinearOptions& linears) const {
    Checkpoint checkpoint = open_checkpoint(folder_);
    ModelConfig config = checkpoint.config;
    if (class_rows.defined()) config.num_labels = class_rows.size(0);
    config.architecture = changed(*config.architecture, change);
    Parameters parameters = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
    if (class_rows.defined()) parameters.add("zero_shot.weight", class_rows);
    parameters.use_linears(make_linears(linears));
    EngineOptions options;
    options.fused = options.needed_tokens = linears.fused;
    const auto device = make_device("cpu");
    const InferenceEngine engine(make_transformer(config, task, parameters), options, *device);
    const Batch rows = reads_images(task) ? image_batch(reference_.at(batch + ".pixel_values"), config.image_tokens)
                                          : batch_of(reference_, batch);
    return engine.forward(engine.stage(rows));
  }

  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-clip";
  Reference reference_{folder_ / "reference.safetensors"};
};

constexpr double kWrong = 0.01;

void use_plain_gelu(Blueprint& blueprint) {
  for (LayerSpec& layer : blueprint.layers) layer.feed_forward.activation = Activation::kGelu;
}

TEST_F(Clip, AWrongTextTowerShows) {
  const auto error = [&](const char* batch, const Change& change) { return error_of(Task::kEmbedding, batch, change); };
  for (const char* batch : {"unpadded", "right", "left"}) EXPECT_LE(error(batch, [](Blueprint&) {}), 1e-4) << batch;
  EXPECT_GT(error("right", use_plain_gelu), kWrong);
  EXPECT_GT(error("right", [](Blueprint& blueprint) { blueprint.is_causal = false; }), kWrong)
      << "a text whose first end mark stands in its middle";
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.is_causal = false; }), kWrong);
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.end.reset(); }), kWrong) << "the last token";
  EXPECT_GT(error("unpadded", [](Blueprint& blueprint) { blueprint.end = EndToken{}; }), kWrong) << "the largest id";
  EXPECT_GT(error("right", [](Blueprint& blueprint) { blueprint.final_norm.reset(); }), kWrong);
  EXPECT_GT(error("left", [](Blueprint& blueprint) { blueprint.positions_skip_padding = true; }), kWrong);
}

TEST_F(Clip, AWrongVisionTowerShows) {
  const auto error = [&](const Change& change) { return error_of(Task::kImageEmbedding, "unpadded", change); };
  EXPECT_LE(error([](Blueprint&) {}), 1e-4);
  EXPECT_GT(error(use_plain_gelu), kWrong);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.embedding.norm.reset(); }), kWrong);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.head.norm.reset(); }), kWrong);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.head.selection = Selection::kMean; }), kWrong);
  EXPECT_GT(error([](Blueprint& blueprint) { blueprint.is_causal = true; }), kWrong);
}

TEST_F(Clip, AWrongProductOfImagesAndTextsShows) {
  const at::Tensor vectors = reference_.at("zero_shot.text_features");
  const at::Tensor unit = vectors / vectors.norm(2, -1, true);
  const Parameters stored =
      checkpoint_parameters(open_checkpoint(folder_), Task::kZeroShotImageClassification, at::kFloat);
  const at::Tensor scale = stored.at("logit_scale").exp();
  EXPECT_LE(zero_shot_error(scale * unit), 1e-4);
  const auto same = [](Blueprint&) {};
  EXPECT_LE(zero_shot_error(scale * unit, same, {.prepacked = true, .fused = true}), 1e-4) << "as engine fast has it";
  EXPECT_GT(zero_shot_error(unit), kWrong) << "without the scale";
  EXPECT_GT(zero_shot_error(scale * vectors), kWrong) << "texts that are not normalised";
  EXPECT_GT(zero_shot_error((scale * unit).flip(0)), kWrong) << "classes in another order";
  EXPECT_GT(zero_shot_error(scale * unit, [](Blueprint& blueprint) { blueprint.head.normalized = false; }), kWrong)
      << "images that are not normalised";
}

}  // namespace
}  // namespace transformeter
