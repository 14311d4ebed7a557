// A model of texts and images, as a user measures and asks it, with the real worker.
#include <gmock/gmock.h>

#include <string>

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

}  // namespace
}  // namespace transformeter
