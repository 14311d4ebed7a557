// Classes that the user names, as images are measured and asked for them, with the real worker.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/forecast_case.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

std::string source(const std::string& path) {
  return (source_directory() / "tests/data" / path).string();
}

// What Transformers' CLIPModel gives for the images of the folder below.
class ZeroShot : public CommandTest {
 protected:
  void SetUp() override {
    use_real_worker();
    reference_ =
        parse_json("vectors", read_file(source("models/tiny-clip/vectors.json"))).at("zero_shot_image_classification");
  }

  // Two of them as the model sees them, which takes all for cats.
  void put_pictures() const {
    for (const auto& [name, files] : kPictures) {
      fs::create_directories(folder_.path() / "pictures" / name);
      for (const std::string& file : files) {
        fs::copy_file(source("images/" + file), folder_.path() / "pictures" / name / file);
      }
    }
  }

  std::string labels() const { return " --labels '" + reference_.at("labels").dump() + "'"; }
  std::string prompt() const {
    return " --prompt-template '" + reference_.at("prompt_template").get<std::string>() + "'";
  }
  // −ln of the softmax of the class's logit.
  double log_loss(const std::string& file, const std::string& name) const {
    const Json& logits = reference_.at("logits_per_image").at(file);
    double sum = 0, own = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      sum += std::exp(logits[i].get<double>());
      if (reference_.at("labels")[i] == name) own = logits[i].get<double>();
    }
    return std::log(sum) - own;
  }
  std::vector<double> log_losses() const {
    std::vector<double> losses;
    for (const auto& [name, files] : kPictures) {
      for (const std::string& file : files) losses.push_back(log_loss(file, name));
    }
    return losses;
  }

  ShellResult run(const std::string& options) const {
    return shell(
        "$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 4 --task "
        "zero-shot-image-classification " +
        options);
  }
  ShellResult predict(const std::string& options) const {
    return shell("$T predict --task zero_shot_image_classification --model " + tiny_ + " " + options);
  }

  static inline const std::map<std::string, std::vector<std::string>> kPictures{
      {"a menu of the café", {"grey_16.png"}}, {"cat", {"420.jpg", "cmyk.jpg"}}, {"red dog", {"oriented_6.jpg"}}};
  std::string tiny_ = source("models/tiny-clip");
  Json reference_;
};

TEST_F(ZeroShot, IsMeasuredAndScored) {
  put_pictures();
  const ShellResult result = run("--model " + tiny_ + " --data pictures --batch-size 2 --precision fp32 --engine " +
                                 "pytorch,fast" + prompt());
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(first_value(one, "correct"), 2);
    EXPECT_EQ(first_value(one, "evaluated"), 4);
    const std::vector<Series>& series = one.replicates.at(0).series;
    EXPECT_THAT(find_series(series, "true_class")->value, ElementsAre(0, 1, 1, 2));
    EXPECT_THAT(find_series(series, "predicted_class")->value, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(find_series(series, "log_loss")->value, Pointwise(DoubleNear(1e-4), log_losses()));
    const Json& model = one.effective.at("model");
    EXPECT_THAT(model.at("classes"), ElementsAre("a menu of the café", "cat", "red dog"));
    EXPECT_EQ(model.at("prompt_template"), reference_.at("prompt_template"));
    EXPECT_EQ(one.requested.at("prompt_template"), reference_.at("prompt_template"));
    EXPECT_FALSE(one.effective.at("data").contains("labels_by_position"));
  }
}

TEST_F(ZeroShot, IsWhatAListOfClassesAsksFor) {
  put_pictures();
  const std::string asked = " --data pictures --model " + tiny_ + labels();
  const ShellResult result = shell("$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 2" + asked);
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(load().cases.at(0).requested.at("task"), "zero_shot_image_classification");
  const ShellResult refused = shell("$T run --task image_embedding" + asked);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.errors, HasSubstr("labels"));
}

TEST_F(ZeroShot, AListOrdersTheClassesAndMayHoldMore) {
  put_pictures();
  const ShellResult result = run("--model " + tiny_ + " --data pictures --batch-size 2 --precision fp32 " +
                                 "--labels 'red dog,photo,cat,a menu of the café'" + prompt());
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.effective.at("model").at("labels"), 4);
  EXPECT_THAT(find_series(one.replicates.at(0).series, "true_class")->value, ElementsAre(3, 2, 2, 0));
  const ShellResult lacking = run("--model " + tiny_ + " --data pictures --labels cat,dog");
  EXPECT_EQ(lacking.exit_code, 3);
  EXPECT_THAT(lacking.errors, HasSubstr("'a menu of the café' is not known"));
}

// What is measured is the tower for images with its projection, and a row for each class.
TEST_F(ZeroShot, RunsAPresetOnDrawnImages) {
  const ShellResult result =
      run("--model clip-test --labels cat,dog,bird --batch-size 2 --precision fp32,int8 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  const std::int64_t layers = 2 * (4 * (64 * 64 + 64) + 2 * 64 * 256 + 256 + 64 + 4 * 64);
  const std::int64_t tower = layers + 64 * 48 + 3 * 8 * 8 * 64 + 64 + 17 * 64 + 4 * 64, scale = 1;
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.effective.at("model").at("parameters"), tower + scale + 3 * 48);
    EXPECT_EQ(one.effective.at("precision"), one.requested.at("precision"));
    EXPECT_EQ(one.effective.at("model").at("labels"), 3);
  }
}

// Another template, or another class, is another workload.
TEST_F(ZeroShot, TextsTellCasesApart) {
  const std::string options = "--model clip-test --batch-size 1 --precision fp32 ";
  std::vector<std::string> keys;
  for (const char* texts : {"--labels cat,dog", "--labels cat,bird", "--labels cat,dog --prompt-template '{}'"}) {
    const ShellResult result = run(options + texts);
    ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
    keys.push_back(load().cases.at(0).workload_key);
  }
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_NE(keys[0], keys[2]);
}

TEST_F(ZeroShot, IsForecastWithAllItsClasses) {
  const auto weight_bytes = [&](const std::string& labels) {
    const ShellResult result = run(
        "--model clip-test --engine pytorch --precision fp32 --batch-size 2 --dry-run --dry-run-format json --labels " +
        labels);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output).at("cases").at(0).at("weight_bytes").get<double>();
  };
  EXPECT_EQ(weight_bytes("cat,dog,bird") - weight_bytes("cat,dog"), 48 * 4) << "a row of the matrix";
}

TEST_F(ZeroShot, AnswersByName) {
  const ShellResult result = predict("--image " + source("images/420.jpg") + labels() + prompt());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json answer = Json::parse(result.output);
  EXPECT_EQ(answer.at("label"), "cat");
  EXPECT_THAT(answer.at("logits").get<std::vector<double>>(),
              Pointwise(DoubleNear(1e-4), reference_.at("logits_per_image").at("420.jpg").get<std::vector<double>>()));
  EXPECT_NEAR(answer.at("score").get<double>(), std::exp(-log_loss("420.jpg", "cat")), 1e-4);
  const ShellResult guessed =
      shell("$T predict --model " + tiny_ + " --image " + source("images/420.jpg") + labels() + prompt());
  EXPECT_EQ(guessed.output, result.output) << "classes are listed for nothing else";
  const ShellResult usual = predict("--image " + source("images/420.jpg") + labels());
  EXPECT_NE(Json::parse(usual.output).at("logits"), answer.at("logits")) << "a photo of a cat, without a full stop";
}

TEST_F(ZeroShot, AListOfClassesSaysWhatIsAsked) {
  put_pictures();
  const std::string options = "--data pictures" + labels() + prompt();
  const ShellResult guessed = shell("$T predict --model " + tiny_ + " " + options);
  ASSERT_EQ(guessed.exit_code, 0) << guessed.errors;
  EXPECT_EQ(guessed.output, predict(options).output);
}

TEST_F(ZeroShot, AnswersForAFolderAreScored) {
  put_pictures();
  const ShellResult result = predict("--data pictures --format predictions -o p.txt" + prompt() +
                                     " && $T score --task zero_shot_image_classification --data pictures "
                                     "--predictions p.txt --format json >s.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json score = Json::parse(read_file(folder_.path() / "s.json"));
  EXPECT_EQ(score.at("task"), "zero_shot_image_classification");
  EXPECT_DOUBLE_EQ(score.at("scores").at(0).at("value"), 0.5);
}

TEST_F(ZeroShot, RefusesWhatItCannotName) {
  const std::string image = "--image " + source("images/420.jpg");
  const auto errors = [](const ShellResult& result) {
    EXPECT_NE(result.exit_code, 0) << result.output;
    return result.errors + result.output;
  };
  EXPECT_THAT(errors(predict(image)), HasSubstr("needs the names of its classes: give --labels A,B,..."));
  EXPECT_THAT(errors(run("--model clip-test")), HasSubstr("needs the names of its classes"));
  EXPECT_THAT(errors(predict(image + " --labels cat,cat")), AllOf(HasSubstr("'cat'"), HasSubstr("once")));
  EXPECT_THAT(errors(predict(image + " --labels cat")), HasSubstr("comma-separated names"));
  for (const auto& refused : {predict(image + " --labels cat,dog --prompt-template 'a photo'"),
                              run("--model clip-test --labels cat,dog --prompt-template 'a photo'")}) {
    EXPECT_THAT(errors(refused), AllOf(HasSubstr("prompt_template 'a photo'"), HasSubstr("{} exactly once")));
  }
  fs::copy(source("models/tiny-clip-vision"), folder_.path() / "tower");
  fs::copy(tiny_ + "/preprocessor_config.json", folder_.path() / "tower");
  EXPECT_THAT(errors(shell("$T predict --task zero_shot_image_classification --labels cat,dog --model tower " + image)),
              HasSubstr("'zero_shot_image_classification' is not available for family 'clip_vision_model'"));
  EXPECT_THAT(errors(shell("$T predict --prompt-template '{}' " + image + " --model " + tiny_)),
              HasSubstr("--prompt-template is for --task zero_shot_image_classification"));
}

TEST_F(ZeroShot, IsNotTrained) {
  shell(
      "$T train --store r.db --replicates 1 --warmup 1 --samples 2 --model clip-test --batch-size 2 --precision fp32 "
      "--task zero_shot_image_classification --labels cat,dog");
  const CaseRecord one = load().cases.at(0);
  EXPECT_EQ(one.status, Status::kUnsupported);
  EXPECT_THAT(one.status_reason, HasSubstr("task zero_shot_image_classification cannot be trained"));
  const ShellResult tuned =
      shell("$T finetune --model " + tiny_ + " --task zero_shot_image_classification --data pictures --output o");
  EXPECT_EQ(tuned.exit_code, 3);
  EXPECT_THAT(tuned.errors, HasSubstr("zero_shot_image_classification"));
}

}  // namespace
}  // namespace transformeter
