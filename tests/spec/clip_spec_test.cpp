// CLIP's two towers: settings in two parts of config.json, and one checkpoint for two tasks.
#include <optional>
#include <string>
#include <vector>

#include "spec/architecture.h"
#include "spec/checkpoint.h"
#include "spec/formulas.h"
#include "spec/model_facts.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "spec/textless_models.h"
#include "spec/two_towers.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ModelConfig clip(const Json& text, const Json& vision = Json::object()) {
  return parse_model_config({{"model_type", "clip"}, {"text_config", text}, {"vision_config", vision}});
}

TEST(Clip, HasTransformersDefaults) {
  const ModelConfig config = parse_model_config({{"model_type", "clip"}});
  EXPECT_EQ(config.max_length, 77);
  EXPECT_EQ(config.vocab_size, 49408);
  EXPECT_EQ(config.image, (ImageShape{3, {224, 224}}));
  EXPECT_EQ(config.image_tokens, 7 * 7 + 1);
  EXPECT_EQ(config.row_length(Task::kEmbedding), 77);
  EXPECT_EQ(config.row_length(Task::kImageEmbedding), 50);
  const Blueprint text = draw_blueprint(config, Task::kEmbedding);
  EXPECT_EQ(text.layers.size(), 12U);
  EXPECT_EQ(text.layers.front().attention.heads, 8);
  EXPECT_EQ(text.layers.front().feed_forward.activation, Activation::kQuickGelu);
  EXPECT_EQ(text.head.output->out, 512);
  EXPECT_EQ(text.end, EndToken{49407});
  EXPECT_TRUE(text.is_causal);
  const Blueprint vision = draw_blueprint(config, Task::kImageEmbedding);
  EXPECT_EQ(vision.layers.front().attention.heads, 12);
  EXPECT_EQ(vision.head.output->in, 768);
  EXPECT_FALSE(vision.is_causal);
}

TEST(Clip, AnswersForTextsAndImages) {
  const Architecture& both = *preset("clip-base").architecture;
  EXPECT_THAT(tasks_of(both), ElementsAre(Task::kImageEmbedding, Task::kEmbedding, Task::kZeroShotImageClassification,
                                          Task::kContrastiveImageText));
  EXPECT_EQ(base_task(both), Task::kImageEmbedding);
  EXPECT_FALSE(is_textless_model("clip-base")) << "it has a tokenizer too";
  const auto saved = [](const char* type, const char* name) {
    return task_of(parse_model_config({{"model_type", type}, {"architectures", {name}}}));
  };
  EXPECT_EQ(saved("clip", "CLIPModel"), Task::kImageEmbedding);
  EXPECT_EQ(saved("clip_text_model", "CLIPTextModel"), Task::kEmbedding);
  EXPECT_EQ(saved("clip_text_model", "CLIPTextModelWithProjection"), Task::kEmbedding);
  EXPECT_EQ(saved("clip_vision_model", "CLIPVisionModelWithProjection"), Task::kImageEmbedding);
}

TEST(Clip, ATowerAloneProjectsIfItsClassDoes) {
  const auto output = [](const char* name) {
    const ModelConfig config =
        parse_model_config({{"model_type", "clip_text_model"}, {"architectures", {name}}, {"projection_dim", 48}});
    return draw_blueprint(config, Task::kEmbedding).head.output;
  };
  EXPECT_EQ(output("CLIPTextModel"), std::nullopt);
  ASSERT_TRUE(output("CLIPTextModelWithProjection"));
  EXPECT_EQ(output("CLIPTextModelWithProjection")->out, 48);
}

TEST(Clip, TakesSettingsThatOlderFilesHaveTwice) {
  const Json config{{"model_type", "clip"},
                    {"text_config", {{"num_hidden_layers", 2}, {"vocab_size", 99}}},
                    {"text_config_dict", {{"num_hidden_layers", 3}}},
                    {"vision_config_dict", nullptr},
                    {"vision_config", {{"num_hidden_layers", 4}}}};
  const ModelConfig read = parse_model_config(config);
  EXPECT_EQ(draw_blueprint(read, Task::kEmbedding).layers.size(), 3U);
  EXPECT_EQ(read.vocab_size, 49408) << "Transformers takes the whole of them, defaults too";
  EXPECT_EQ(draw_blueprint(read, Task::kImageEmbedding).layers.size(), 4U);
}

TEST(Clip, TextsEndAtTheLargestIdWhereTheFileSaysTwo) {
  const auto end = [](const Json& id) { return draw_blueprint(clip({{"eos_token_id", id}}), Task::kEmbedding).end; };
  EXPECT_EQ(end(2), EndToken{});
  EXPECT_EQ(end(7), EndToken{7});
  EXPECT_THROW(end(Json::array({7, 8})), Error) << "the original compares with one";
}

TEST(Clip, ChecksTheKeysOfItsTowers) {
  EXPECT_THAT(clip({{"made_up", 1}, {"projection_dim", 3}}, {{"dropout", 0.0}}).unread_keys,
              ElementsAre("text_config.made_up", "vision_config.dropout"));
  EXPECT_THAT(clip({{"is_decoder", false}, {"pad_token_id", 1}, {"bos_token_id", 0}}).unread_keys, IsEmpty());
  EXPECT_THAT(message_of(ErrorKind::kUnsupported,
                         [] {
                           clip({{"sliding_window", 4}});
                         }),
              AllOf(HasSubstr("text_config"), HasSubstr("sliding_window")));
  EXPECT_THROW(clip({{"is_decoder", true}}), Error);
  EXPECT_THROW(clip({{"is_causal", false}}), Error);
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [] {
                           clip({}, {{"hidden_size", 70}});
                         }),
              AllOf(HasSubstr("vision_config: hidden_size '70'"), HasSubstr("num_attention_heads 12")));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [] { clip({}, {{"patch_size", 225}}); }), HasSubstr("image_size 224"));
  EXPECT_THROW(clip({}, {{"image_size", {224, 224}}}), Error) << "the original divides it as a number";
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [] { clip(Json::array()); }), HasSubstr("text_config"));
}

TEST(Clip, PoolsInItsOwnWay) {
  ModelConfig config = preset("clip-test");
  EXPECT_NO_THROW(check_pooling(config, ""));
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { check_pooling(config, "mean"); }),
              AllOf(HasSubstr("pooling mean"), HasSubstr("'clip'")));
  EXPECT_NO_THROW(check_pooling(preset("bert-test"), "mean"));
  config.sentence.poolings = {Selection::kMean};
  EXPECT_EQ(draw_blueprint(config, Task::kEmbedding).head.selection, Selection::kLast);
}

TEST(Clip, HasThePublishedParameters) {
  EXPECT_EQ(parameter_count(base_inventory(preset("clip-base"))), 151'277'313);
  EXPECT_EQ(parameter_count(base_inventory(preset("clip-large"))), 427'616'513);
  // CLIPTextModelWithProjection and CLIPVisionModelWithProjection of the smaller one.
  EXPECT_EQ(parameter_count(tensor_inventory(preset("clip-base"), Task::kEmbedding)), 63'428'096);
  EXPECT_EQ(parameter_count(tensor_inventory(preset("clip-base"), Task::kImageEmbedding)), 87'849'216);
}

TEST(Clip, CountsTheOperationsOfEachTower) {
  const ModelConfig config = preset("clip-base");
  const double t = 77, c = 512, layer = t * 24 * c * c + 4 * t * t * c;
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kEmbedding, 1, 77), 12 * layer + 2 * c * 512);
  const double n = 50, v = 768, image_layer = n * 24 * v * v + 4 * n * n * v;
  EXPECT_DOUBLE_EQ(forward_flops(config, Task::kImageEmbedding, 1, 50),
                   12 * image_layer + 49 * 2 * (3 * 32 * 32) * v + 2 * v * 512);
}

// Of the tower for images, and a product with one row of each class.
TEST(Clip, ClassesThatAreNamedAddOneProduct) {
  constexpr Task kTask = Task::kZeroShotImageClassification;
  ModelConfig config = preset("clip-base");
  config.num_labels = 1000;
  EXPECT_DOUBLE_EQ(forward_flops(config, kTask, 1, 50),
                   forward_flops(config, Task::kImageEmbedding, 1, 50) + 2.0 * 512 * 1000);
  EXPECT_EQ(parameter_count(tensor_inventory(config, kTask)), 87'849'216 + 512 * 1000 + 1);
  const HeadSpec head = draw_blueprint(config, kTask).head;
  EXPECT_TRUE(head.normalized);
  EXPECT_EQ(head.similarities->product.in, 512);
  EXPECT_EQ(head.similarities->product.out, 1000);
  EXPECT_FALSE(draw_blueprint(config, Task::kImageEmbedding).head.normalized);
}

// Both towers whole, and a product of each text with each image.
TEST(Clip, PairsAreOfBothTowers) {
  constexpr Task kTask = Task::kContrastiveImageText;
  const ModelConfig config = preset("clip-base");
  const Blueprint whole = draw_blueprint(config, kTask);
  Blueprint image = draw_blueprint(config, Task::kImageEmbedding), text = draw_blueprint(config, Task::kEmbedding);
  image.head.normalized = text.head.normalized = true;
  EXPECT_EQ(image_tower_of(whole), image);
  EXPECT_EQ(text_tower_of(whole), text);
  EXPECT_EQ(whole.text_tower->logits.scale, "logit_scale");
  EXPECT_EQ(parameter_count(tensor_inventory(config, kTask)), 151'277'313) << "CLIPModel's";
  EXPECT_EQ(tensor_inventory(config, kTask).back().name, "logit_scale");

  const std::vector<std::int64_t> images(8, 50), captions{77, 20, 7, 9, 11, 5, 30, 77};
  double towers = forward_flops(config, Task::kImageEmbedding, images);
  for (const std::int64_t length : captions) towers += forward_flops(config, Task::kEmbedding, 1, length);
  EXPECT_DOUBLE_EQ(forward_flops(config, kTask, images, captions), towers + 2.0 * 8 * 8 * 512);
  const double unneeded = unneeded_flops(config, Task::kImageEmbedding, images);
  EXPECT_GT(unneeded, 0);
  EXPECT_DOUBLE_EQ(unneeded_flops(config, kTask, images, captions),
                   unneeded + unneeded_flops(config, Task::kEmbedding, captions));
  EXPECT_EQ(weights_read_whole(config, kTask),
            weights_read_whole(config, Task::kImageEmbedding) + weights_read_whole(config, Task::kEmbedding) + 1);
}

TEST(Clip, ACheckpointHoldsAllThatPairsRead) {
  constexpr Task kTask = Task::kContrastiveImageText;
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-clip");
  const CheckpointMatch match = match_checkpoint(checkpoint, kTask);
  EXPECT_EQ(match.tensors.size(), checkpoint.entries.size());
  EXPECT_THAT(match.ignored, IsEmpty());
  SafetensorsEntries entries = checkpoint.entries;
  entries.erase("text_projection.weight");
  EXPECT_THROW(match_checkpoint(checkpoint.config, kTask, entries, "file"), Error);
  for (const char* folder : {"tiny-clip-vision", "tiny-clip-text"}) {
    const ModelConfig config = open_checkpoint(models_folder() / folder).config;
    EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { check_task(config, kTask); }),
                HasSubstr("'contrastive_image_text' is not available for family '" + config.family() + "'"));
  }
}

TEST(Clip, NoProjectionIsDrawnToLearnPairs) {
  for (const char* projection : {"visual_projection.weight", "text_projection.weight"}) {
    Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-clip");
    checkpoint.entries.erase(projection);
    EXPECT_THAT(message_of(ErrorKind::kBadInput,
                           [&] { match_for_training(checkpoint, Task::kContrastiveImageText, std::nullopt, {}); }),
                HasSubstr(projection));
  }
}

TEST(Clip, ACheckpointHoldsTheScaleAndNoRowsOfClasses) {
  constexpr Task kTask = Task::kZeroShotImageClassification;
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-clip");
  const CheckpointMatch match = match_checkpoint(checkpoint, kTask);
  EXPECT_EQ(match.tensors.size() + 1, tensor_inventory(checkpoint.config, kTask).size());
  EXPECT_EQ(match.tensors.back().file_name, "logit_scale");
  EXPECT_THAT(match.ignored, Not(Contains("logit_scale")));
  SafetensorsEntries entries = checkpoint.entries;
  entries["zero_shot.weight"] = entries.at("visual_projection.weight");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { match_checkpoint(checkpoint.config, kTask, entries, "file"); }),
              HasSubstr("unexpected tensor 'zero_shot.weight'"));
  entries = checkpoint.entries;
  entries.erase("logit_scale");
  EXPECT_THAT(message_of(ErrorKind::kUnsupported, [&] { match_checkpoint(checkpoint.config, kTask, entries, "file"); }),
              HasSubstr("logit_scale"));
}

TEST(Clip, ATowerAloneTakesNoNamedClasses) {
  for (const char* folder : {"tiny-clip-vision", "tiny-clip-text", "tiny-vit"}) {
    const ModelConfig config = open_checkpoint(models_folder() / folder).config;
    EXPECT_THAT(
        message_of(ErrorKind::kUnsupported, [&] { check_task(config, Task::kZeroShotImageClassification); }),
        AllOf(HasSubstr("'zero_shot_image_classification' is not available for family '" + config.family() + "'")));
  }
}

TEST(Clip, IsDescribedTowerByTower) {
  const ModelConfig config = preset("clip-base");
  const ModelFacts facts = model_facts("clip-base", config, 128);
  EXPECT_EQ(facts.sequence_length, 50);
  const Json json = describe_model(facts, config, std::nullopt);
  EXPECT_EQ(json.at("sizes").at("text").at("width"), 512);
  EXPECT_EQ(json.at("sizes").at("text").at("vocabulary"), 49408);
  EXPECT_EQ(json.at("sizes").at("image").at("width"), 768);
  EXPECT_EQ(json.at("image"), (Json{{"channels", 3}, {"height", 224}, {"width", 224}}));
  EXPECT_EQ(json.at("pooling").at("kind"), "own");
  EXPECT_EQ(json.at("text_length"), 77);
  EXPECT_EQ(json.at("tasks").at(0).at("sequence_length"), 50);
  EXPECT_EQ(json.at("tasks").at(1).at("sequence_length"), 77);
  EXPECT_EQ(json.at("tasks").at(3).at("task"), "contrastive_image_text");
  EXPECT_EQ(json.at("tasks").at(3).at("sequence_length"), 50 + 77);
}

TEST(Clip, OneCheckpointServesBothTasks) {
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-clip");
  for (const Task task : {Task::kEmbedding, Task::kImageEmbedding}) {
    EXPECT_NO_THROW(check_task(checkpoint, task));
    const CheckpointMatch match = match_checkpoint(checkpoint, task);
    EXPECT_EQ(match.tensors.size(), tensor_inventory(checkpoint.config, task).size());
    EXPECT_THAT(match.ignored, Contains("logit_scale"));
  }
  SafetensorsEntries more = checkpoint.entries;
  more["vision_model.pre_layernorm.bias"] = more.at("vision_model.pre_layrnorm.bias");
  EXPECT_THAT(
      message_of(ErrorKind::kBadInput, [&] { match_checkpoint(checkpoint.config, Task::kEmbedding, more, "file"); }),
      HasSubstr("unexpected tensor 'vision_model.pre_layernorm.bias'"))
      << "neither tower knows it";
  more = checkpoint.entries;
  more.erase("vision_model.post_layernorm.bias");
  EXPECT_NO_THROW(match_checkpoint(checkpoint.config, Task::kEmbedding, more, "file"));
  EXPECT_THROW(match_checkpoint(checkpoint.config, Task::kImageEmbedding, more, "file"), Error);
}

TEST(Clip, ATowerAloneIsFoundWithoutItsPrefix) {
  const Checkpoint checkpoint = open_checkpoint(models_folder() / "tiny-clip-text");
  EXPECT_EQ(checkpoint.entries.count("text_model.final_layer_norm.bias"), 0U);
  EXPECT_THAT(match_checkpoint(checkpoint, Task::kEmbedding).ignored, IsEmpty());
  EXPECT_THAT(tasks_of(*checkpoint.config.architecture), Not(Contains(Task::kImageEmbedding)));
}

}  // namespace
}  // namespace transformeter
