// A model of texts and images, as a user measures and asks it, with the real worker.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/forecast_case.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Clip : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  static std::string source(const std::string& path) { return (source_directory() / "tests/data" / path).string(); }
  ShellResult run(const std::string& options) const {
    return shell("$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 4 --batch-size 2 " + options);
  }
};

TEST_F(Clip, EachTaskMeasuresItsTower) {
  const ShellResult result = run(
      "--model clip-test --task image_embedding,embedding --sequence-length 16 --precision fp32 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    const bool is_of_images = one.requested.at("task") == "image_embedding";
    // Two layers of 64 with 256 inside; what differs are patches or words, and two norms more of images.
    const std::int64_t layers = 2 * (4 * (64 * 64 + 64) + 2 * 64 * 256 + 256 + 64 + 4 * 64), projection = 64 * 48;
    const std::int64_t vision = 3 * 8 * 8 * 64 + 64 + 17 * 64 + 4 * 64, text = 4096 * 64 + 77 * 64 + 2 * 64;
    EXPECT_EQ(one.effective.at("model").at("parameters"), layers + projection + (is_of_images ? vision : text));
    EXPECT_EQ(one.effective.at("data").contains("image"), is_of_images);
    EXPECT_EQ(one.effective.at("model").contains("pooling"), !is_of_images);
    EXPECT_EQ(one.effective.at("head_tokens"), one.requested.at("engine") == "fast" ? "needed" : "all");
  }
}

TEST_F(Clip, IsMeasuredOnImagesUnlessAsked) {
  const ShellResult result = run("--model clip-test --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(load().cases.at(0).requested.at("task"), "image_embedding");
}

TEST_F(Clip, PoolsInItsOwnWayAlone) {
  run("--model clip-test --task embedding --sequence-length 16 --pooling mean --precision fp32");
  const RunRecord stored = load();
  EXPECT_EQ(stored.cases.at(0).status, Status::kUnsupported);
  EXPECT_THAT(stored.cases.at(0).status_reason, HasSubstr("pooling mean: family 'clip'"));
  const ShellResult asked =
      shell("$T predict --model " + source("models/tiny-clip") + " --text cat --task embedding --pooling mean");
  EXPECT_NE(asked.exit_code, 0);
  EXPECT_THAT(asked.errors, HasSubstr("leave --pooling out"));
}

TEST_F(Clip, PredictsForWhatIsGiven) {
  const std::string predict = "$T predict --model " + source("models/tiny-clip");
  const ShellResult texts = shell(predict + " --text 'a photo of a cat' dog");
  ASSERT_EQ(texts.exit_code, 0) << texts.errors;
  EXPECT_THAT(texts.output, AllOf(HasSubstr("a photo of a cat"), HasSubstr("embedding")));
  const ShellResult image = shell(predict + " --image " + source("images/420.jpg"));
  ASSERT_EQ(image.exit_code, 0) << image.errors;
  EXPECT_THAT(image.output, AllOf(HasSubstr("420.jpg"), Not(HasSubstr("text"))));
  EXPECT_EQ(shell(predict + " --task embedding --image a.png").exit_code, 3);
  EXPECT_EQ(shell("$T tokenize --model " + source("models/tiny-clip") + " 'A cat'").exit_code, 0);
}

TEST_F(Clip, TrainsOnRandomPairs) {
  const ShellResult result = shell(
      "$T train --model clip-test --sequence-length 16 --precision fp32,bf16_autocast --engine pytorch,fast "
      "--gradient-checkpointing off,on --batch-size 4 --threads 1 --peaks off --replicates 1 --warmup 1 --samples 2 "
      "--store r.db");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, HasSubstr("synthetic images of 32 x 32 pixels, with captions"));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 8U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.requested.at("task"), "contrastive_image_text");
    EXPECT_EQ(one.requested.at("sequence_length"), 16);
    EXPECT_FALSE(one.requested.contains("batching"));
    EXPECT_GT(first_value(one, "loss"), 0);
    // Both towers' layers and projections, their tables, norms and patches, and the scale.
    const std::int64_t layers = 2 * (4 * (64 * 64 + 64) + 2 * 64 * 256 + 256 + 64 + 4 * 64), projection = 64 * 48;
    const std::int64_t vision = 3 * 8 * 8 * 64 + 64 + 17 * 64 + 4 * 64, text = 4096 * 64 + 77 * 64 + 2 * 64;
    EXPECT_EQ(first_value(one, "weight_bytes"), 4 * (2 * (layers + projection) + vision + text + 1));
  }
}

class ClipPairs : public Clip {
 protected:
  void SetUp() override {
    Clip::SetUp();
    for (const char* name : {"420.jpg", "cmyk.jpg", "photo.png", "rgb_8.png", "tall.png"}) {
      std::filesystem::copy_file(source(std::string("images/") + name), folder_.path() / name);
    }
    folder_.write("t.csv",
                  "image,caption\n420.jpg,a cat\ncmyk.jpg,a red dog\nphoto.png,a photo of the cat\nrgb_8.png,the "
                  "red\ntall.png,of dog\n");
  }
};

TEST_F(ClipPairs, AreLearntFromATable) {
  const auto train = [&](const std::string& options) {
    const ShellResult result = shell(
        "$T train --precision fp32 --learning-rate 1e-3 --threads 1 --peaks off --replicates 1 --warmup 1 --samples 12 "
        "--store r.db --model " +
        source("models/tiny-clip") + " " + options);
    EXPECT_NE(result.exit_code, 3) << result.errors;
    return load().cases.at(0);
  };
  for (const char* length : {"natural", "16"}) {
    SCOPED_TRACE(length);
    const CaseRecord one = train(std::string("--data t.csv --batch-size 5 --sequence-length ") + length);
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    const std::vector<double>& losses = find_series(one.replicates.at(0).series, "loss")->value;
    EXPECT_LT(losses.back(), losses.front());
  }
  EXPECT_EQ(train("--data t.csv --batch-size 5").requested.at("sequence_length"), 30) << "the model's positions";
  folder_.write("none.csv", "image,caption\n420.jpg,a cat\nnone.jpg,a dog\n");
  folder_.write("blank.csv", "image,caption\n420.jpg,a cat\ncmyk.jpg,\n");
  const auto refused = [&](const std::string& data, const std::string& reason) {
    const ShellResult result = shell("$T train --store r.db --model " + source("models/tiny-clip") + " --data " + data);
    EXPECT_EQ(result.exit_code, 3) << data;
    EXPECT_THAT(result.errors, HasSubstr(reason)) << data;
  };
  refused("none.csv", "none.jpg");
  refused("blank.csv", "'cmyk.jpg' has no caption");
  refused("bundled", "a table of images and captions");
  const ShellResult largest =
      shell("$T find-max --axis batch_size --scenario train --data t.csv --sequence-length 16 --model " +
            source("models/tiny-clip"));
  EXPECT_EQ(largest.exit_code, 3) << largest.output;
  EXPECT_THAT(largest.errors, HasSubstr("a batch holds no more images than the data; leave --data out"));
}

TEST_F(ClipPairs, AreFineTunedOnAndScoredByRetrieval) {
  const std::string of_pairs =
      "$T finetune --task contrastive_image_text --threads 1 --learning-rate 1e-3 --format json --model " +
      source("models/tiny-clip") + " ";
  const std::string finetune = of_pairs + "--batch-size 4 ";
  const ShellResult result =
      shell(finetune + "--data t.csv --evaluation-share 0.4 --steps 4 --output o > summary.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json scored = parse_json("summary", read_file(folder_.path() / "summary.json")).at("last_evaluation");
  EXPECT_EQ(scored.at("headline"), "image_to_text_recall_at_1");
  EXPECT_TRUE(scored.at("scores").contains("text_to_image_recall_at_1"));
  EXPECT_FALSE(scored.at("scores").contains("text_to_image_recall_at_5")) << "of two images every model finds both";
  EXPECT_GT(scored.at("loss").get<double>(), 0);
  for (const char* name : {"preprocessor_config.json", "tokenizer.json", "tokenizer_config.json", "config.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "o/best" / name)) << name;
  }
  EXPECT_THAT(read_file(folder_.path() / "o/best/config.json"), HasSubstr("CLIPModel"));
  const ShellResult asked = shell("$T predict --model o/best --labels cat,dog --image 420.jpg");
  EXPECT_EQ(asked.exit_code, 0) << asked.errors;
  EXPECT_EQ(shell("$T predict --model o/best --text 'a cat'").exit_code, 0);
  const ShellResult resumed = shell("$T finetune --resume o");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;

  const auto refused = [&](const std::string& command, const std::string& reason) {
    const ShellResult refusal = shell(command);
    EXPECT_EQ(refusal.exit_code, 3) << command;
    EXPECT_THAT(refusal.errors, HasSubstr(reason)) << command;
  };
  std::filesystem::create_directory(folder_.path() / "pictures");
  std::filesystem::copy_file(source("images/420.jpg"), folder_.path() / "pictures/a.jpg");
  refused(finetune + "--data pictures --steps 1 --output p", "only a table has captions");
  refused(finetune + "--data t.csv --batching packed --steps 1 --output p", "batching only applies to");
  refused(of_pairs + "--data t.csv --batch-size 1 --steps 1 --output p", "batch_size '1'");
  refused(finetune + "--data t.csv --label-smoothing 0.1 --steps 1 --output p", "label_smoothing");
  refused("$T predict --task contrastive_image_text --model o/best --image 420.jpg", "is only trained");
  run("--model clip-test --task contrastive_image_text --precision fp32");
  EXPECT_EQ(load().cases.at(0).status, Status::kUnsupported);
  EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr("is only trained"));
}

// clip-test has two layers of 64 in each tower, whose queries and values are adapted.
TEST_F(ClipPairs, AdaptersAreOfBothTowers) {
  const ShellResult trained = shell(
      "$T train --model clip-test --sequence-length 16 --lora-rank 4 --precision fp32 --engine pytorch,fast "
      "--gradient-checkpointing off,on --batch-size 4 --threads 1 --peaks off --replicates 1 --warmup 1 --samples 2 "
      "--store r.db");
  ASSERT_EQ(trained.exit_code, 0) << trained.errors << trained.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    ASSERT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(first_value(one, "trainable_parameters"), 2 * 2 * 2 * 4 * (64 + 64));
    EXPECT_EQ(one.effective.at("lora").at("matrices"), 2 * 2 * 2);
  }

  const std::string finetune =
      "$T finetune --task contrastive_image_text --threads 1 --learning-rate 1e-3 --batch-size 5 --data t.csv "
      "--steps 2 --lora-rank 4 --model " +
      source("models/tiny-clip") + " ";
  const ShellResult adapted = shell(finetune + "--sequence-length 16 --output a");
  ASSERT_EQ(adapted.exit_code, 0) << adapted.errors;
  const Json settings = parse_json("job", read_file(folder_.path() / "a/finetune.json")).at("settings");
  EXPECT_EQ(settings.at("sequence_length"), 16);
  EXPECT_FALSE(settings.contains("batching")) << settings;
  const Json config = parse_json("adapter", read_file(folder_.path() / "a/best/adapter_config.json"));
  EXPECT_EQ(config.at("target_modules"), Json({"q_proj", "v_proj"}));
  EXPECT_TRUE(config.at("modules_to_save").is_null());
  const std::string file = read_file(folder_.path() / "a/best/adapter_model.safetensors");
  for (const char* module : {"vision_model.encoder.layers.2.self_attn.q", "text_model.encoder.layers.1.self_attn.v"}) {
    EXPECT_THAT(file, HasSubstr(std::string("base_model.model.") + module + "_proj.lora_B.weight"));
  }
  const ShellResult merged = shell(finetune + "--merge-adapter --output w");
  ASSERT_EQ(merged.exit_code, 0) << merged.errors;
  EXPECT_EQ(shell("$T predict --model w/best --labels cat,dog --image 420.jpg").exit_code, 0);
}

// The folder that fine-tuning writes keeps what its texts are filled by.
TEST_F(ClipPairs, OfSiglipAreLearntAndAsked) {
  const ShellResult result = shell(
      "$T finetune --task contrastive_image_text --threads 1 --learning-rate 1e-3 --batch-size 4 --steps 2 --data "
      "t.csv "
      "--evaluation-share 0.4 --output o --model " +
      source("models/tiny-siglip"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(read_file(folder_.path() / "o/best/config.json"), HasSubstr("SiglipModel"));
  const ShellResult asked = shell("$T predict --model o/best --labels cat,dog --image 420.jpg");
  EXPECT_EQ(asked.exit_code, 0) << asked.errors;
  const ShellResult text = shell("$T predict --model o/best --text 'a cat'");
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  const ShellResult hidden = shell(
      "sed -i 's/.input_ids./&,\"attention_mask\"/' o/best/tokenizer_config.json; "
      "$T predict --model o/best --text 'a cat'");
  EXPECT_NE(hidden.exit_code, 0);
  EXPECT_THAT(hidden.errors, HasSubstr("\"model_input_names\": [\"input_ids\"]"));
}

TEST_F(Clip, TextsOfSiglipHaveOneLength) {
  for (const char* rows : {"--data synthetic --sequence-length natural", "--padding 0.5 --sequence-length 16"}) {
    run(std::string("--model siglip-test --task embedding --precision fp32 ") + rows);
    EXPECT_EQ(load().cases.at(0).status, Status::kUnsupported) << rows;
    EXPECT_THAT(load().cases.at(0).status_reason, HasSubstr("family 'siglip' reads padding")) << rows;
  }
}

}  // namespace
}  // namespace transformeter
