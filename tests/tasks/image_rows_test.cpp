// Rows of images: files as they are asked for, classes, and drawn ones.
#include "tasks/image_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tasks/batch_loader.h"
#include "tasks/image_inputs.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ImageRowsTest : public testing::Test {
 protected:
  void put(const std::string& folder, const std::string& file) const {
    fs::create_directories(folder_.path() / folder);
    fs::copy_file(source_directory() / "tests/data/images" / file, folder_.path() / folder / file);
  }
  TrainingRowsOptions options() const {
    TrainingRowsOptions options;
    options.task = Task::kImageClassification;
    options.max_length = config_.max_length;
    return options;
  }

  LabelledRows rows_of(const std::string& path) const {
    return image_class_rows(load_image_classes(path, {}, nullptr), path, {config_, processor_}, options());
  }

  ModelConfig config_ = preset("vit-test");
  ImageProcessor processor_ = model_image_processor("vit-test", config_, false);
  TemporaryFolder folder_;
};

TEST_F(ImageRowsTest, AreFilesWithTheirClasses) {
  put("b", "420.jpg");
  put("a", "cmyk.jpg");
  const LabelledRows read = rows_of(folder_.path().string());
  EXPECT_EQ(read.class_count, 2);
  EXPECT_THAT(read.class_names, ElementsAre("a", "b"));
  ASSERT_EQ(read.rows->size(), 2U);
  const TrainingRow row = read.rows->rows(1, 0).front();
  EXPECT_THAT(row.labels, ElementsAre(1));
  EXPECT_EQ(row.pixels.size(), 3U * 32 * 32);
  EXPECT_EQ(row.pixels, read.rows->rows(1, 5).front().pixels) << "the same in every epoch";
  EXPECT_NE(row.pixels, read.rows->rows(0, 0).front().pixels);
}

TEST_F(ImageRowsTest, ComeInBatchesOfPixels) {
  put("b", "420.jpg");
  put("a", "cmyk.jpg");
  put("a", "grey.jpg");
  const LabelledRows read = rows_of(folder_.path().string());
  LoaderOptions loading;
  loading.batch_size = 2;
  loading.shuffled = false;
  BatchLoader loader(*read.rows, loading);
  const TrainingBatch first = loader.next();
  ASSERT_TRUE(first.inputs.images);
  EXPECT_EQ(first.inputs.batch_size, 2);
  EXPECT_EQ(first.inputs.sequence_length, config_.max_length);
  EXPECT_EQ(first.inputs.useful_tokens, 2 * config_.max_length);
  const auto values_of = [](const TrainingBatch& batch, std::size_t row) {
    const auto begin = batch.inputs.images->values.begin() + static_cast<std::ptrdiff_t>(row * 3 * 32 * 32);
    return std::vector<float>(begin, begin + 3 * 32 * 32);
  };
  EXPECT_EQ(first.inputs.images->values.size(), 2U * 3 * 32 * 32);
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(values_of(first, row), read.rows->rows(row, 0).front().pixels) << row;
  }
  EXPECT_THAT(first.labels, ElementsAre(0, 0));
  const TrainingBatch last = loader.next();
  EXPECT_EQ(last.inputs.batch_size, 1) << "an epoch's last batch";
  EXPECT_TRUE(last.ends_epoch);
  EXPECT_EQ(values_of(last, 0), read.rows->rows(2, 0).front().pixels);
}

TEST_F(ImageRowsTest, WithoutLabelsAreRefused) {
  put("pictures", "420.jpg");
  const fs::path table = folder_.write("t.csv", "path\npictures/420.jpg\n");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { rows_of(table.string()); }),
              AllOf(HasSubstr("t.csv"), HasSubstr("label")));
}

TEST_F(ImageRowsTest, AreDrawnBySeedAndNumber) {
  TrainingRowsOptions other = options();
  other.seed = 1;
  const auto rows = synthetic_image_rows(3, 5, config_, options());
  const auto others = synthetic_image_rows(3, 5, config_, other);
  EXPECT_EQ(rows->rows(1, 0).front().pixels, rows->rows(1, 2).front().pixels);
  EXPECT_NE(rows->rows(1, 0).front().pixels, rows->rows(2, 0).front().pixels);
  EXPECT_NE(rows->rows(1, 0).front().pixels, others->rows(1, 0).front().pixels);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const std::int64_t label = rows->rows(i, 0).front().labels.front();
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 5);
  }
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { synthetic_image_rows(0, 5, config_, options()); }),
              HasSubstr("number of synthetic rows"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { synthetic_image_rows(1, 0, config_, options()); }),
              HasSubstr("number of classes"));
}

class CaptionRowsTest : public ImageRowsTest {
 protected:
  CaptionRowsTest() {
    config_ = preset("clip-test");
    processor_ = model_image_processor("clip-test", config_, false);
    for (const char* file : {"420.jpg", "cmyk.jpg"}) put("pictures", file);
  }
  TrainingRowsOptions options_of_pairs(std::int64_t max_length) const {
    TrainingRowsOptions options = ImageRowsTest::options();
    options.task = Task::kContrastiveImageText;
    options.max_length = max_length;
    return options;
  }
  std::string table(const std::string& name, const std::string& content) const {
    return folder_.write(name, content).string();
  }
  LabelledRows rows_of(const std::string& path, std::int64_t max_length = 77, const DataOptions& data = {}) const {
    return caption_rows(load_captions(path, data), {config_, processor_}, *tokenizer_, options_of_pairs(max_length));
  }
  std::string refusal(const std::string& path, const DataOptions& data = {}) const {
    return message_of(ErrorKind::kBadInput, [&] { rows_of(path, 77, data); });
  }
  std::vector<std::int64_t> tokens_of(const std::string& text) const {
    const Encoding encoding = tokenizer_->encode(text, {});
    return {encoding.ids.begin(), encoding.ids.end()};
  }

  std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(source_directory() / "tests/data/models/tiny-clip");
};

TEST_F(CaptionRowsTest, AreImagesWithTheTokensOfTheirTexts) {
  const LabelledRows read =
      rows_of(table("t.csv", "image_path,caption\npictures/420.jpg,a cat\npictures/cmyk.jpg,\"a red dog, 2 cats\"\n"));
  EXPECT_EQ(read.class_count, 0);
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kCaption);
  ASSERT_EQ(read.rows->size(), 2U);
  LoaderOptions loading;
  loading.batch_size = 2;
  loading.shuffled = false;
  BatchLoader loader(*read.rows, loading);
  const TrainingBatch batch = loader.next();
  ASSERT_TRUE(batch.inputs.images);
  EXPECT_EQ(batch.inputs.sequence_length, 17) << "patches of an image, and the class's token";
  const std::vector<std::int64_t> first = tokens_of("a cat"), second = tokens_of("a red dog, 2 cats");
  EXPECT_THAT(target_lengths(batch), ElementsAre(static_cast<std::int64_t>(first.size()), batch.target_length));
  EXPECT_EQ(batch.target_length, static_cast<std::int64_t>(second.size()));
  std::vector<std::int64_t> expected = first;
  expected.resize(second.size(), kNoLabel);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(batch.labels, expected);
  EXPECT_EQ(rows_of((folder_.path() / "t.csv").string(), 3).rows->rows(1, 0).front().labels.size(), 3U) << "cut";
}

TEST_F(CaptionRowsTest, AreFoundByTheUsualColumnsOrThoseThatAreChosen) {
  const auto labels = [&](const std::string& path, const DataOptions& data = {}) {
    return rows_of(path, 77, data).rows->rows(0, 0).front().labels;
  };
  const std::vector<std::int64_t> cat = tokens_of("a cat");
  EXPECT_EQ(labels(table("a.tsv", "file_name\tlabel\ttext\npictures/420.jpg\t3\ta cat\n")), cat);
  EXPECT_EQ(labels(table("b.jsonl", R"({"image": "pictures/420.jpg", "sentence": "a cat"})")), cat);
  EXPECT_EQ(labels(table("c.csv", "file,text,caption\npictures/420.jpg,a dog,a cat\n")), cat) << "caption comes first";
  DataOptions chosen;
  chosen.text_column = "picture";
  chosen.label_column = "said";
  EXPECT_EQ(labels(table("d.csv", "picture,said,caption\npictures/420.jpg,a cat,a dog\n"), chosen), cat);
}

TEST_F(CaptionRowsTest, WithoutATextOrAFileAreRefusedByName) {
  EXPECT_THAT(refusal(table("t.csv", "image,caption\npictures/420.jpg,a cat\npictures/cmyk.jpg,  \n")),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("'pictures/cmyk.jpg' has no caption"), HasSubstr("'caption'")));
  EXPECT_THAT(refusal(table("t.jsonl", R"({"image": "pictures/420.jpg", "caption": null})")),
              AllOf(HasSubstr("t.jsonl:1"), HasSubstr("'pictures/420.jpg' has no caption")));
  EXPECT_THAT(refusal(table("f.csv", "image,caption\npictures/none.jpg,a cat\n")),
              AllOf(HasSubstr("f.csv:2"), HasSubstr("none.jpg"), HasSubstr("there is no file")));
  EXPECT_THAT(
      refusal(table("c.csv", "image,label\npictures/420.jpg,1\n")),
      AllOf(HasSubstr("c.csv"), HasSubstr("(image, label)"), HasSubstr("captions"), HasSubstr("--label-column")));
  EXPECT_THAT(refusal((folder_.path() / "pictures").string()), HasSubstr("only a table has captions"));
  folder_.write("pictures/broken.jpg", "no image");
  const LabelledRows broken = rows_of(table("b.csv", "image,caption\npictures/broken.jpg,a cat\n"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { broken.rows->rows(0, 0); }), HasSubstr("broken.jpg"));
}

TEST_F(CaptionRowsTest, AreDrawnBySeedAndNumber) {
  const auto drawn = [&](std::uint64_t seed) {
    TrainingRowsOptions asked = options_of_pairs(12);
    asked.seed = seed;
    return synthetic_caption_rows(3, config_, *tokenizer_, asked);
  };
  const auto rows = drawn(0), others = drawn(1);
  const TrainingRow row = rows->rows(1, 0).front();
  EXPECT_EQ(row.pixels.size(), 3U * 32 * 32);
  EXPECT_EQ(row.labels.size(), 12U);
  EXPECT_EQ(row.labels.back(), tokens_of("a cat").back()) << "where texts end";
  EXPECT_EQ(row.labels, rows->rows(1, 2).front().labels);
  EXPECT_NE(row.labels, rows->rows(2, 0).front().labels);
  EXPECT_NE(row.labels, others->rows(1, 0).front().labels);
  EXPECT_NE(row.pixels, others->rows(1, 0).front().pixels);
  EXPECT_THAT(
      message_of(ErrorKind::kBadInput, [&] { synthetic_caption_rows(0, config_, *tokenizer_, options_of_pairs(12)); }),
      HasSubstr("number of synthetic rows"));
}

}  // namespace
}  // namespace transformeter
