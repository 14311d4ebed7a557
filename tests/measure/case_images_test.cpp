// Which images are measured, compared and calibrate, and how many a case may have.
#include "measure/case_images.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "images/image.h"
#include "images/image_processor_options.h"
#include "measure/pass_forecast.h"
#include "tasks/image_inputs.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Pixels = std::vector<float>;

class CaseImagesTest : public testing::Test {
 protected:
  CaseImagesTest() {
    config_.image = ImageShape{3, {4, 4}};
    config_.image_tokens = 5;
    for (std::size_t i = 0; i < 100; ++i) {
      Image image(ImageSize{4, 4});
      image.pixels.front() = static_cast<std::uint8_t>(i + 1);
      files_.examples.push_back({"", {}, 0, {}, std::make_shared<const Image>(std::move(image))});
    }
  }

  static Case request(const std::string& data, std::int64_t batch_size) {
    Case request;
    request.task = Task::kImageClassification;
    request.data = data;
    request.batch_size = batch_size;
    return request;
  }

  CaseImages images(const Case& request) {
    if (request.data != kSyntheticData) return {request, config_, files_, processor_};
    synthetic_.examples.resize(static_cast<std::size_t>(request.batch_size));
    return {request, config_, synthetic_, processor_};
  }

  static std::vector<Pixels> rows_of(const std::vector<Batch>& batches) {
    std::vector<Pixels> rows;
    for (const Batch& batch : batches) {
      const auto size = batch.images->shape.values();
      for (std::int64_t row = 0; row < batch.batch_size; ++row) {
        const auto begin = batch.images->values.begin() + row * size;
        rows.emplace_back(begin, begin + size);
      }
    }
    return rows;
  }

  static std::set<Pixels> set_of(const std::vector<Pixels>& rows) { return {rows.begin(), rows.end()}; }

  ModelConfig config_;
  DataSet files_;
  DataSet synthetic_;
  const ImageProcessor processor_{default_image_processor_options(4)};
};

TEST_F(CaseImagesTest, ShapeIsThatOfTheCycle) {
  Case limited = request("folder", 8);
  limited.limit = 20;
  for (const Case& one : {request("folder", 8), limited, request("folder", 128), request(kSyntheticData, 8)}) {
    const CaseImages inputs = images(one);
    const CycleShape made = CycleShape::of(make_image_cycle(inputs));
    const CycleShape told = image_cycle_shape(one, config_, inputs.data);
    ASSERT_EQ(told.batches.size(), made.batches.size()) << one.data;
    for (std::size_t i = 0; i < made.batches.size(); ++i) {
      EXPECT_EQ(told.batches[i].lengths, made.batches[i].lengths);
      EXPECT_EQ(told.batches[i].sequence_length, made.batches[i].sequence_length);
    }
  }
}

TEST_F(CaseImagesTest, ACutCycleIsTheBeginningOfTheWholeOne) {
  const Case one = request("folder", 8);
  const Cycle whole = make_image_cycle(images(one));
  const Cycle cut = make_image_cycle(images(one), 20);
  EXPECT_EQ(whole.used_examples, 100);
  EXPECT_EQ(cut.used_examples, 20);
  EXPECT_EQ(cut.example_count, 100) << "before the cut";
  std::vector<Pixels> begin = rows_of(whole.batches);
  EXPECT_EQ(set_of(begin).size(), 100U) << "each image once";
  begin.resize(20);
  EXPECT_EQ(rows_of(cut.batches), begin);
}

TEST_F(CaseImagesTest, SyntheticOnesFollowFromSeedAndPlaceAlone) {
  const Case three = request(kSyntheticData, 3);
  std::vector<Batch> all = make_image_cycle(images(three)).batches;
  for (Batch& batch : further_image_batches(images(three), 12)) all.push_back(std::move(batch));
  const std::vector<Pixels> rows = rows_of(all);
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(set_of(rows).size(), 12U) << "all differ";
  EXPECT_EQ(rows, rows_of(make_image_cycle(images(request(kSyntheticData, 12))).batches)) << "whatever the batch size";
  Case other = three;
  other.seed = three.seed + 1;
  for (const Pixels& row : rows_of(make_image_cycle(images(other)).batches)) EXPECT_EQ(set_of(rows).count(row), 0U);
}

TEST_F(CaseImagesTest, CalibrationHasOtherImagesThanAreMeasuredAndCompared) {
  Case files = request("folder", 8);
  files.limit = 40;
  const Case synthetic = request(kSyntheticData, 8);
  for (const Case& one : {files, synthetic}) {
    std::vector<Pixels> taken = rows_of(make_image_cycle(images(one)).batches);
    if (one.data == kSyntheticData) {
      for (Pixels& row : rows_of(further_image_batches(images(one), 32))) taken.push_back(std::move(row));
      EXPECT_EQ(taken.size(), 32U);
    }
    const CalibrationBatches calibration = image_calibration(images(one), {});
    const std::vector<Pixels> rows = rows_of(calibration.batches);
    EXPECT_FALSE(calibration.shares_texts);
    EXPECT_GE(rows.size(), 32U) << one.data;
    for (const Pixels& row : rows) EXPECT_EQ(set_of(taken).count(row), 0U) << one.data;
  }
}

TEST_F(CaseImagesTest, MoreThanACycleMayHoldNameTheOptionThatHelps) {
  config_.image = ImageShape{3, {1024, 1024}};  // 12 MiB
  const auto refusal = [&](const Case& one, std::int64_t count) -> std::string {
    try {
      check_image_room(one, config_, count);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(request("folder", 8), 85), "none");
  EXPECT_THAT(refusal(request("folder", 8), 86),
              AllOf(HasSubstr("folder: 86 images do not fit into the 1 GiB"), HasSubstr("use --limit 85 or fewer")));
  EXPECT_THAT(refusal(request(kSyntheticData, 86), 86), HasSubstr("use --batch-size 85 or fewer"));
  config_.image = ImageShape{3, {16384, 16384}};
  EXPECT_THAT(refusal(request("folder", 1), 1), HasSubstr("16384 x 16384 pixels alone is more than the 1 GiB"));
}

}  // namespace
}  // namespace transformeter
