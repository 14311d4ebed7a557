// Rows of images: files as they are asked for, classes, and drawn ones.
#include "tasks/image_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tasks/batch_loader.h"
#include "tasks/image_inputs.h"

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

}  // namespace
}  // namespace transformeter
