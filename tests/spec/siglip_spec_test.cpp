// SigLIP's two towers: what they have in common with CLIP's is tested there.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "spec/lora.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "spec/two_towers.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ModelConfig siglip(const Json& text, const Json& vision = Json::object()) {
  return parse_model_config({{"model_type", "siglip"}, {"text_config", text}, {"vision_config", vision}});
}

TEST(Siglip, HasTransformersDefaults) {
  const ModelConfig config = parse_model_config({{"model_type", "siglip"}});
  EXPECT_EQ(config.max_length, 64);
  EXPECT_EQ(config.filled_length, 64);
  EXPECT_EQ(config.vocab_size, 32000);
  EXPECT_EQ(config.image, (ImageShape{3, {224, 224}}));
  EXPECT_EQ(config.image_tokens, 14 * 14) << "no token of a class";
  const Blueprint text = draw_blueprint(config, Task::kEmbedding);
  EXPECT_EQ(text.layers.size(), 12U);
  EXPECT_EQ(text.layers.front().attention_norm.epsilon, 1e-6);
  EXPECT_EQ(text.layers.front().feed_forward.activation, Activation::kGeluTanh);
  EXPECT_EQ(text.head.output->out, 768);
  EXPECT_EQ(text.head.selection, Selection::kLast);
  EXPECT_EQ(text.end, std::nullopt);
  EXPECT_FALSE(text.is_causal);
  const Blueprint vision = draw_blueprint(config, Task::kImageEmbedding);
  EXPECT_EQ(vision.head.selection, Selection::kProbe);
  EXPECT_EQ(vision.head.probe->attention.heads, 12);
  EXPECT_EQ(vision.embedding.patches->first_tokens.size(), 0U);
  EXPECT_FALSE(vision.embedding.patches->projection.bias.empty());
}

TEST(Siglip, AnswersForTextsAndImages) {
  EXPECT_THAT(tasks_of(*preset("siglip-base").architecture),
              ElementsAre(Task::kImageEmbedding, Task::kEmbedding, Task::kZeroShotImageClassification,
                          Task::kContrastiveImageText));
  const auto saved = [](const char* type, const char* name) {
    return task_of(parse_model_config({{"model_type", type}, {"architectures", {name}}}));
  };
  EXPECT_EQ(saved("siglip", "SiglipModel"), Task::kImageEmbedding);
  EXPECT_EQ(saved("siglip_text_model", "SiglipTextModel"), Task::kEmbedding);
  EXPECT_EQ(saved("siglip_vision_model", "SiglipVisionModel"), Task::kImageEmbedding);
}

TEST(Siglip, ChecksTheKeysOfItsTowers) {
  EXPECT_THAT(siglip({{"made_up", 1}}, {{"dropout", 0.0}}).unread_keys,
              ElementsAre("text_config.made_up", "vision_config.dropout"));
  EXPECT_THAT(siglip({{"bos_token_id", 49406}, {"eos_token_id", 49407}, {"pad_token_id", 1}}).unread_keys, IsEmpty());
  EXPECT_THROW(siglip({{"is_causal", true}}), Error);
  EXPECT_THAT(message_of(ErrorKind::kUnsupported,
                         [] {
                           siglip({}, {{"vision_use_head", false}});
                         }),
              AllOf(HasSubstr("vision_config"), HasSubstr("vision_use_head")));
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [] {
                           siglip({{"projection_size", 512}});
                         }),
              AllOf(HasSubstr("projection_size '512'"), HasSubstr("hidden_size 768")));
  EXPECT_NO_THROW(siglip({{"projection_size", 1152}}, {{"hidden_size", 1152}}));
}

TEST(Siglip, HasThePublishedParameters) {
  const ModelConfig config = preset("siglip-base");
  EXPECT_EQ(parameter_count(base_inventory(config)), 203'155'970);
  EXPECT_EQ(parameter_count(tensor_inventory(config, Task::kEmbedding)), 110'271'744);
  EXPECT_EQ(parameter_count(tensor_inventory(config, Task::kImageEmbedding)), 92'884'224);
  EXPECT_EQ(parameter_count(tensor_inventory(config, Task::kContrastiveImageText)), 203'155'970);
}

// Query, keys and values of the learnt query are parts of one tensor, which is listed once.
TEST(Siglip, TheProbeReadsPartsOfOneTensor) {
  const ModelConfig config = preset("siglip-test");
  const ProbeSpec probe = draw_blueprint(config, Task::kImageEmbedding).head.probe.value();
  const LinearSpec& query = probe.attention.inputs[0];
  const LinearSpec& tokens = probe.attention.inputs[1];
  EXPECT_EQ(query.weight, tokens.weight);
  EXPECT_NE(query.key(), tokens.key());
  EXPECT_EQ(query.first_row, 0);
  EXPECT_EQ(query.out, tokens.first_row);
  EXPECT_EQ(tokens.first_row + tokens.out, tokens.stored_rows);
  const std::vector<TensorSpec> inventory = tensor_inventory(config, Task::kImageEmbedding);
  const auto is_packed = [&](const TensorSpec& tensor) { return tensor.name == query.weight; };
  ASSERT_EQ(std::count_if(inventory.begin(), inventory.end(), is_packed), 1);
  EXPECT_THAT(std::find_if(inventory.begin(), inventory.end(), is_packed)->shape, ElementsAre(3 * 64, 64));
}

TEST(Siglip, CountsTheOperationsOfEachTower) {
  const ModelConfig config = preset("siglip-base");
  const double c = 768, t = 64, n = 196;
  const auto layers = [&](double tokens) { return 12 * (tokens * 24 * c * c + 4 * tokens * tokens * c); };
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kEmbedding, 1, 64), layers(t) + 2 * c * c);
  // Keys and values of all patches; query, output and feed-forward network of one token.
  const double probe = n * 4 * c * c + 4 * n * c + (2 + 2 + 16) * c * c;
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kImageEmbedding, 1, 196), layers(n) + n * 2 * (3 * 16 * 16) * c + probe);
  EXPECT_EQ(unneeded_flops(config, Task::kImageEmbedding, {196}), 0) << "all patches are attended to";
}

TEST(Siglip, NamedClassesHaveABias) {
  constexpr Task kTask = Task::kZeroShotImageClassification;
  ModelConfig config = preset("siglip-test");
  config.num_labels = 5;
  const SimilaritySpec similarities = draw_blueprint(config, kTask).head.similarities.value();
  EXPECT_EQ(similarities.product.out, 5);
  EXPECT_EQ(similarities.product.bias, "zero_shot.bias");
  EXPECT_EQ(similarities.logits.loss, PairLoss::kSigmoid);
  const std::int64_t tower = parameter_count(tensor_inventory(config, Task::kImageEmbedding));
  EXPECT_EQ(parameter_count(tensor_inventory(config, kTask)), tower + 2 + 5 * 64 + 5) << "scale, bias, rows, biases";
}

TEST(Siglip, PairsAreOfBothTowers) {
  constexpr Task kTask = Task::kContrastiveImageText;
  const ModelConfig config = preset("siglip-base");
  const Blueprint whole = draw_blueprint(config, kTask);
  Blueprint image = draw_blueprint(config, Task::kImageEmbedding), text = draw_blueprint(config, Task::kEmbedding);
  image.head.normalized = text.head.normalized = true;
  EXPECT_EQ(image_tower_of(whole), image);
  EXPECT_EQ(text_tower_of(whole), text);
  EXPECT_EQ(tensor_inventory(config, kTask).back().name, "logit_bias");
}

TEST(Siglip, ACheckpointHoldsAllThatPairsRead) {
  constexpr Task kTask = Task::kContrastiveImageText;
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-siglip");
  const CheckpointMatch match = match_checkpoint(checkpoint, kTask);
  EXPECT_EQ(match.tensors.size(), checkpoint.entries.size());
  EXPECT_THAT(match.ignored, IsEmpty());
  EXPECT_THAT(match_checkpoint(checkpoint, Task::kEmbedding).ignored,
              AllOf(Contains("logit_scale"), Contains("logit_bias")));
  SafetensorsEntries entries = checkpoint.entries;
  entries.erase("logit_bias");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { match_checkpoint(checkpoint.config, kTask, entries, "file"); }),
              HasSubstr("logit_bias"));
}

TEST(Siglip, ATowerAloneIsFoundWithoutItsPrefix) {
  for (const char* folder : {"tiny-siglip-text", "tiny-siglip-vision"}) {
    const Checkpoint checkpoint = open_checkpoint(models_folder() / folder);
    const Task task = base_task(*checkpoint.config.architecture);
    EXPECT_THAT(match_checkpoint(checkpoint, task).ignored, IsEmpty());
    EXPECT_THAT(
        message_of(ErrorKind::kUnsupported, [&] { check_task(checkpoint.config, Task::kContrastiveImageText); }),
        HasSubstr("is not available for family '" + checkpoint.config.family() + "'"));
  }
}

TEST(Siglip, AdaptersLeaveTheProbesAttentionOut) {
  const ModelConfig config = preset("siglip-test");
  const auto adapted = [&](const std::string& targets) {
    std::vector<std::string> names;
    for (const LinearSpec& matrix : plan_lora(config, Task::kContrastiveImageText, {4, 8, targets}).matrices) {
      names.push_back(matrix.weight);
    }
    return names;
  };
  EXPECT_EQ(adapted("").size(), 8U) << "query and value of two layers in each tower";
  EXPECT_EQ(adapted("out_proj").size(), 4U);
  EXPECT_THAT(adapted("all-linear"),
              AllOf(Not(Contains(HasSubstr("head.attention"))), Contains("vision_model.head.mlp.fc1.weight")));
}

}  // namespace
}  // namespace transformeter
