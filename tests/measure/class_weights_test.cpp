// The rows of classes against the vectors that Transformers gives for their texts.
#include "measure/class_weights.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/family_testing.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

class ClassWeights : public testing::Test {
 protected:
  ClassWeights() {
    request_.task = Task::kZeroShotImageClassification;
    const Json expected =
        parse_json("vectors", read_file(folder_ / "vectors.json")).at(std::string(name_of(request_.task)));
    request_.model = folder_.string();
    names_ = expected.at("labels").get<std::vector<std::string>>();
    request_.prompt_template = expected.at("prompt_template");
  }

  at::Tensor weights(const ModelConfig& model, c10::ScalarType type = at::kFloat) const {
    ModelConfig config = model;
    config.labels = names_;
    config.num_labels = static_cast<std::int64_t>(names_.size());
    Parameters parameters;
    add_class_weights({request_, config, parts_, context_}, type, parameters);
    return parameters.at("zero_shot.weight");
  }

  // As logits_per_image, exp(logit_scale) · t / |t|.
  at::Tensor expected() const {
    const at::Tensor vectors = reference_.at("zero_shot.text_features");
    const Parameters stored = checkpoint_parameters(open_checkpoint(folder_), request_.task, at::kFloat);
    return stored.at("logit_scale").exp() * vectors / vectors.norm(2, -1, true);
  }

  static double distance(const at::Tensor& one, const at::Tensor& other) {
    return (one.to(at::kFloat) - other).abs().max().item<double>();
  }

  std::filesystem::path folder_ = source_directory() / "tests/data/models/tiny-clip";
  Reference reference_{folder_ / "reference.safetensors"};
  WorkerParts parts_ = builtin_parts();
  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  Case request_;
  std::vector<std::string> names_;
};

TEST_F(ClassWeights, AreTheScaledVectorsOfTheTexts) {
  const ModelConfig config = open_checkpoint(folder_).config;
  EXPECT_LE(distance(weights(config), expected()), 1e-5);
  EXPECT_LE(distance(weights(config, at::kBFloat16), expected()), 0.01) << "rounded once, at the end";
  request_.prompt_template = "{}";
  EXPECT_GT(distance(weights(config), expected()), 0.01) << "another template";
  request_.prompt_template = "a photo of {}.";
  std::swap(names_.front(), names_.back());
  EXPECT_LE(distance(weights(config), expected().flip(0)), 1e-5) << "a row follows its class";
}

// Whatever the case runs in, its texts are read in fp32.
TEST_F(ClassWeights, DoNotDependOnTheCasesPrecision) {
  const ModelConfig config = open_checkpoint(folder_).config;
  const at::Tensor before = weights(config);
  request_.precision = "bf16";
  request_.batch_size = 1;
  EXPECT_EQ(distance(weights(config), before), 0);
}

// SigLIP's texts are filled, and its logits have a bias.
TEST_F(ClassWeights, OfSiglipHaveTheBiasOfAllLogits) {
  const std::filesystem::path folder = source_directory() / "tests/data/models/tiny-siglip";
  const Reference reference(folder / "reference.safetensors");
  request_.model = folder.string();
  ModelConfig config = open_checkpoint(folder).config;
  config.labels = names_;
  config.num_labels = 3;
  Parameters parameters;
  add_class_weights({request_, config, parts_, context_}, at::kFloat, parameters);
  const Parameters stored = checkpoint_parameters(open_checkpoint(folder), request_.task, at::kFloat);
  const at::Tensor vectors = reference.at("zero_shot.text_features");
  const at::Tensor rows = stored.at("logit_scale").exp() * vectors / vectors.norm(2, -1, true);
  EXPECT_LE(distance(parameters.at("zero_shot.weight"), rows), 1e-5);
  EXPECT_EQ(distance(parameters.at("zero_shot.bias"), stored.at("logit_bias").expand({3})), 0);
}

TEST_F(ClassWeights, OfAPresetFollowFromTheSeed) {
  request_.model = "clip-test";
  const ModelConfig config = builtin_architectures().preset("clip-test");
  const at::Tensor first = weights(config);
  EXPECT_LE(distance(first.norm(2, -1), at::ones({3})), 1e-6) << "no scale but 1";
  EXPECT_EQ(distance(weights(config), first), 0);
  request_.seed = 1;
  EXPECT_GT(distance(weights(config), first), 0.01);
}

}  // namespace
}  // namespace transformeter
