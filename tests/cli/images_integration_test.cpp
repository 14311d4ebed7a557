// Models that read images, as a user measures and asks them, with the real worker.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/forecast_case.h"
#include "cli/shell.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Images : public CommandTest {
 protected:
  void SetUp() override { use_real_worker(); }

  static std::string source(const std::string& path) { return (source_directory() / "tests/data" / path).string(); }

  // One image for each of the tiny models' classes; of 420.jpg, cmyk.jpg, ... Transformers says the class in
  // pictures.json.
  void put_pictures() const {
    const std::vector<std::string> files{"cmyk.jpg", "grey_16.png", "420.jpg", "420.jpg", "oriented_6.jpg"};
    for (std::size_t i = 0; i < files.size(); ++i) {
      const fs::path folder = folder_.path() / "pictures" / ("LABEL_" + std::to_string(i));
      fs::create_directories(folder);
      fs::copy_file(source("images/" + files[i]), folder / files[i]);
    }
  }

  // Red and blue pictures in CIFAR-10's files: what is learnt in a few steps.
  void put_colours() const {
    const auto records = [](int count) {
      std::string bytes;
      for (int i = 0; i < count; ++i) {
        bytes += static_cast<char>(i % 2);
        for (int channel = 0; channel < 3; ++channel) {
          bytes += std::string(1024, static_cast<char>(channel == (i % 2 == 0 ? 0 : 2) ? 150 + 10 * (i % 8) : 20));
        }
      }
      return bytes;
    };
    fs::create_directories(folder_.path() / "colours");
    folder_.write("colours/batches.meta.txt", "red\nblue\nc\nd\ne\nf\ng\nh\ni\nj\n");
    folder_.write("colours/data_batch_1.bin", records(32));
    folder_.write("colours/test_batch.bin", records(8));
  }

  ShellResult run(const std::string& options) const {
    return shell("$T run --peaks off --store r.db --replicates 1 --warmup 1 --samples 4 " + options);
  }
};

TEST_F(Images, AreMeasuredAndScored) {
  put_pictures();
  const ShellResult result = run("--model " + source("models/tiny-vit") +
                                 " --data pictures --batch-size 2 --precision fp32 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.requested.at("task"), "image_classification");
    EXPECT_FALSE(one.requested.contains("sequence_length")) << "settings of texts do not apply";
    EXPECT_FALSE(one.requested.contains("batching"));
    EXPECT_EQ(one.effective.at("cycle").at("batches"), 3);
    EXPECT_EQ(one.effective.at("cycle").at("useful_tokens"), 5 * 10) << "nine patches and the first token";
    EXPECT_EQ(first_value(one, "correct"), 3) << "420.jpg is in two classes, and cmyk.jpg in a wrong one";
    EXPECT_EQ(first_value(one, "evaluated"), 5);
    EXPECT_TRUE(one.effective.at("data").at("labels_by_position")) << "LABEL_0 is no name";
  }
}

TEST_F(Images, OfListedClassesAreNoGuess) {
  put_pictures();
  folder_.write("classes.txt", "LABEL_0\nLABEL_1\nLABEL_2\nLABEL_3\nLABEL_4\n");
  const ShellResult result = run("--model " + source("models/tiny-vit") +
                                 " --data pictures --labels classes.txt --batch-size 2 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  EXPECT_FALSE(stored.cases.at(0).effective.at("data").contains("labels_by_position"));
  EXPECT_EQ(first_value(stored.cases.at(0), "correct"), 3);
}

TEST_F(Images, AreDrawnWhereNoneAreGiven) {
  const ShellResult result = run("--model vit-test --batch-size 1,3 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    EXPECT_EQ(one.requested.at("data"), "synthetic");
    EXPECT_EQ(one.effective.at("cycle").at("batches"), 1);
    EXPECT_EQ(one.effective.at("data").at("image"), (Json{{"channels", 3}, {"height", 32}, {"width", 32}}));
  }
}

// Patches are an embedding, whose product stays as it is.
TEST_F(Images, RunInEightBits) {
  const ShellResult result = run("--model vit-test --batch-size 2 --precision int8 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("wrong_precision")));
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U);
  for (const CaseRecord& one : stored.cases) {
    EXPECT_EQ(one.effective.at("precision"), "int8");
    std::int64_t in_fp32 = 0;
    for (const Json& type : one.effective.at("linear_types")) {
      if (type.at("weight") == "fp32" && !type.at("small").get<bool>()) in_fp32 += type.at("count").get<std::int64_t>();
    }
    EXPECT_EQ(in_fp32, 0) << one.effective.at("linear_types") << ": nothing but patches and small products stays";
  }
}

TEST_F(Images, AreAnsweredByName) {
  put_pictures();
  const std::string model = "$T predict --model " + source("models/tiny-vit");
  const ShellResult typed = shell(model + " --image pictures/LABEL_2/420.jpg");
  ASSERT_EQ(typed.exit_code, 0) << typed.errors;
  EXPECT_THAT(typed.output, AllOf(HasSubstr(R"("image":"pictures/LABEL_2/420.jpg","label":"LABEL_2")")));
  const ShellResult scored = shell("for i in 0 1 2 3 4; do echo LABEL_$i; done >classes.txt && " + model +
                                   " --data pictures --labels classes.txt --format predictions -o p.txt && "
                                   "$T score --task image_classification --data pictures --predictions p.txt "
                                   "--format json >s.json");
  ASSERT_EQ(scored.exit_code, 0) << scored.errors;
  EXPECT_DOUBLE_EQ(Json::parse(read_file(folder_.path() / "s.json")).at("scores").at(0).at("value"), 0.6);
  EXPECT_THAT(scored.errors, HasSubstr("accuracy 0.6")) << "as predict itself says";
}

TEST_F(Images, OfAFolderWithoutClassesAreAnsweredAndNotScored) {
  put_pictures();
  const ShellResult result =
      shell("$T predict --model " + source("models/tiny-vit") + " --data pictures/LABEL_2 --format json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("pictures/LABEL_2/420.jpg"));
  EXPECT_FALSE(Json::parse(result.output).contains("scores"));
}

TEST_F(Images, AreLearntAndTheBestModelAnswers) {
  put_colours();
  const ShellResult learnt = shell(
      "$T finetune --model vit-test --task image_classification --data colours --split train --evaluation-data colours "
      "--evaluation-split test --batch-size 8 --learning-rate 1e-3 --epochs 4 --output o --format json >s.json");
  ASSERT_EQ(learnt.exit_code, 0) << learnt.errors;
  const Json summary = Json::parse(read_file(folder_.path() / "s.json"));
  EXPECT_DOUBLE_EQ(summary.at("best"), 1) << summary;
  const Json settings = Json::parse(read_file(folder_.path() / "o/finetune.json")).at("settings");
  EXPECT_FALSE(settings.contains("sequence_length")) << settings;
  EXPECT_FALSE(settings.contains("batching")) << settings;
  const ShellResult scored = run("--model o/best --data colours --split test --batch-size 8 --precision fp32");
  ASSERT_EQ(scored.exit_code, 0) << scored.errors << scored.output;
  EXPECT_EQ(first_value(load().cases.at(0), "correct"), 8);
  put_pictures();
  const ShellResult asked = shell("$T predict --model o/best --image pictures/LABEL_2/420.jpg");
  ASSERT_EQ(asked.exit_code, 0) << asked.errors;
  EXPECT_THAT(asked.output, testing::ContainsRegex(R"re("label":"(red|blue)")re"));
}

TEST_F(Images, AFineTuningOfACheckpointGoesOnAfterAKill) {
  put_colours();
  const std::string learn = "$T finetune --model " + source("models/tiny-vit") +
                            " --task image_classification --data colours --split train --evaluation-data colours "
                            "--evaluation-split test --batch-size 4 --steps 300 --checkpoint-steps 4 --threads 1 "
                            "--output ";
  ASSERT_EQ(shell(learn + "whole").exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(kill_on_the_way(learn + "cut", "cut"));
  const ShellResult resumed = shell("$T finetune --resume cut");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("continuing after step"));
  EXPECT_EQ(read_file(folder_.path() / "whole/best/model.safetensors"),
            read_file(folder_.path() / "cut/best/model.safetensors"));
  EXPECT_EQ(read_file(folder_.path() / "cut/best/preprocessor_config.json"),
            read_file(source("models/tiny-vit/preprocessor_config.json")));
  const Json config = Json::parse(read_file(folder_.path() / "cut/best/config.json"));
  EXPECT_EQ(config.at("id2label").at("1"), "blue") << "a new head: the checkpoint has five classes";
}

TEST_F(Images, OneThatIsLostWhileLearningCanBeRestored) {
  put_pictures();
  const ShellResult lost = shell(
      "$T finetune --model vit-test --task image_classification --data pictures --batch-size 1 --steps 4000 "
      "--checkpoint-steps 1 --threads 1 --output o & pid=$!; until [ -e o/checkpoints ] || ! kill -0 $pid; do sleep "
      "0.01; done; mv pictures/LABEL_2/420.jpg kept.jpg; wait $pid; echo $? >code; mv kept.jpg "
      "pictures/LABEL_2/420.jpg");
  EXPECT_EQ(read_file(folder_.path() / "code"), "1\n") << lost.errors;
  EXPECT_THAT(lost.errors, AllOf(HasSubstr("420.jpg"), HasSubstr("continue with: transformeter finetune --resume o")));
}

TEST_F(Images, ThatHaveChangedAreNotLearntOnWith) {
  put_pictures();
  ASSERT_EQ(shell("$T finetune --model vit-test --task image_classification --data pictures --evaluation-share 0.2 "
                  "--steps 2 --output o")
                .exit_code,
            0);
  EXPECT_EQ(shell("$T finetune --resume o").exit_code, 0);
  fs::copy_file(source("images/420.jpg"), folder_.path() / "pictures/LABEL_0/more.jpg");
  const ShellResult changed = shell("$T finetune --resume o");
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_THAT(changed.errors, HasSubstr("pictures' has changed since the fine-tuning started"));
  fs::remove_all(folder_.path() / "pictures");
  const ShellResult missing = shell("$T finetune --resume o");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.errors, AllOf(HasSubstr("o/finetune.json"), HasSubstr("restore them to resume")));

  put_colours();
  const std::string learn =
      "$T finetune --model vit-test --task image_classification --data colours --split train "
      "--evaluation-data colours --steps 1 --output ";
  EXPECT_THAT(shell(learn + "no").errors, HasSubstr("choose another one to evaluate on with --evaluation-split"));
  ASSERT_EQ(shell(learn + "p --evaluation-split test").exit_code, 0);
  fs::resize_file(folder_.path() / "colours/test_batch.bin", 3073 * 4);
  EXPECT_THAT(shell("$T finetune --resume p").errors, HasSubstr("colours' has changed")) << "of both splits";
}

TEST_F(Images, ModelsOfTextsCannotReadThemAndSaySo) {
  const ShellResult result =
      run("--model bert-test,vit-test --task image_classification --batch-size 1 --precision fp32");
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 2U) << result.errors;
  EXPECT_EQ(stored.cases[0].status, Status::kUnsupported);
  EXPECT_THAT(stored.cases[0].status_reason, HasSubstr("not available for family 'bert'"));
  EXPECT_EQ(stored.cases[1].status, Status::kOk);
}

TEST_F(Images, ThatDoNotFitAreRefused) {
  put_pictures();
  folder_.write("pictures/LABEL_0/broken.png", "\x89PNG\r\n\x1a\nno more");
  const auto refused = [&](const std::string& command, const std::string& part) {
    const ShellResult result = shell("$T " + command);
    EXPECT_EQ(result.exit_code, 3) << command << "\n" << result.output << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(part)) << command;
  };
  const std::string model = source("models/tiny-vit");
  refused("predict --model " + model + " --text a", "use --image or --data");
  refused("predict --model bert-test --image a.png", "use --text or --data");
  refused("predict --model " + model + " --task embedding --image a.png", "available: image_classification");
  refused("find-max --axis batch_size --model vit-test --data pictures", "leave --data out");
  refused("predict --model " + model + " --image pictures/LABEL_0/broken.png", "broken.png");
  refused("predict --model " + model + " --image pictures/LABEL_2/420.jpg --max-length 4", "--max-length");
  refused("run --model vit-test --sequence-length 8 --store r.db", "sequence_length only applies");
  refused("run --model vit-test --data missing --store r.db", "no such file or folder");
  refused("run --model vit-test --data bundled --store r.db", "The bundled data are sentences");
  refused("run --model vit-test --data pictures --text-pair-column x --store r.db", "no columns to choose");
  const std::string learn = "finetune --model vit-test --task image_classification --output out --data ";
  refused(learn + "pictures --sequence-length 8", "sequence_length only applies");
  refused(learn + "bundled", "The bundled data are sentences");
  refused(learn + "pictures --batch-size 1 --epochs 9", "broken.png");
  EXPECT_FALSE(fs::exists(folder_.path() / "out")) << "known before the first step";
  refused("data pictures --model vit-test", "it reads no texts, and has no tokenizer");
  refused("tokenize --model " + model + " hi", "it reads no texts, and has no tokenizer");
  EXPECT_THAT(shell("$T train --model vit-test --task image_embedding --data synthetic --store t.db").output,
              HasSubstr("task image_embedding cannot be trained"));
  refused(learn + "synthetic", "a folder or table of images");
  fs::copy(folder_.path() / "pictures", folder_.path() / "whole", fs::copy_options::recursive);
  fs::remove(folder_.path() / "whole/LABEL_0/broken.png");
  refused(learn + "whole --evaluation-data pictures", "broken.png");
  const ShellResult failed = run("--model vit-test --data pictures --batch-size 1 --precision fp32");
  EXPECT_NE(failed.exit_code, 0);
  EXPECT_THAT(failed.output + failed.errors, HasSubstr("broken.png"));
}

TEST_F(Images, AreLearntFrom) {
  put_pictures();
  const ShellResult result = shell(
      "$T train --peaks off --store r.db --replicates 1 --warmup 1 --samples 8 --model vit-test --data "
      "synthetic,pictures --batch-size 2 --precision fp32 --learning-rate 1e-3 --engine pytorch,fast");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const RunRecord stored = load();
  ASSERT_EQ(stored.cases.size(), 4U);
  for (const CaseRecord& one : stored.cases) {
    SCOPED_TRACE(one.requested.dump());
    EXPECT_EQ(one.status, Status::kOk) << one.status_reason;
    EXPECT_EQ(one.requested.at("task"), "image_classification");
    EXPECT_EQ(one.effective.at("data").at("labels"), one.requested.at("data") == "pictures" ? 5 : 10);
    EXPECT_EQ(one.effective.at("data").at("image"), Json({{"channels", 3}, {"height", 32}, {"width", 32}}));
  }
}

TEST_F(Images, OfRealFilesRun) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const ShellResult result = run("--model vit-test --data " + (shared_data() / "images/cifar10/test").string() +
                                 " --limit 20 --batch-size 8 --precision fp32");
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(load().cases.at(0).effective.at("data").at("labels"), 10);
}

}  // namespace
}  // namespace transformeter
