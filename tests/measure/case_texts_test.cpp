// Which texts are compared and which calibrate: they must not be the same.
#include "measure/case_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "datasets/bundled_data.h"
#include "datasets/row_frame.h"
#include "datasets/synthetic.h"
#include "support/source_tree.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

class CaseTextsTest : public testing::Test {
 protected:
  CaseTextsTest() { config_.max_length = 512; }

  static Case request(const std::string& data, std::optional<std::int64_t> length, std::int64_t batch_size) {
    Case request;
    request.data = data;
    request.sequence_length = length;
    request.batch_size = batch_size;
    if (!length) request.length_distribution = "uniform:8:24";
    return request;
  }

  DataSet data_of(const Case& request) const {
    if (request.data != kSyntheticData) return load_dataset(bundled_texts(kShare));
    DataSet data;
    data.examples.resize(static_cast<std::size_t>(request.sequence_length ? request.batch_size : 100));
    return data;
  }

  static std::set<std::vector<std::int64_t>> rows_of(const std::vector<Batch>& batches) {
    std::set<std::vector<std::int64_t>> rows;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.batch_size; ++row) {
        const auto begin = batch.input_ids.begin() + row * batch.sequence_length;
        rows.emplace(begin, begin + batch.sequence_length);
      }
    }
    return rows;
  }

  const std::filesystem::path kShare = source_directory() / "share";
  const std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(bundled_vocabulary(kShare));
  ModelConfig config_;
};

TEST_F(CaseTextsTest, FurtherBatchesGoOnWhereTheCycleEnds) {
  for (const char* data : {"bundled", kSyntheticData}) {
    const Case three = request(data, 24, 3);
    const Case twelve = request(data, 24, 12);
    const DataSet few = data_of(three);
    const DataSet many = data_of(twelve);
    std::vector<Batch> all = make_cycle({three, config_, few, *tokenizer_}).cycle.batches;
    for (Batch& batch : further_batches({three, config_, few, *tokenizer_}, 12)) all.push_back(std::move(batch));
    EXPECT_EQ(all.size(), 4U);
    EXPECT_EQ(rows_of(all), rows_of(make_cycle({twelve, config_, many, *tokenizer_}).cycle.batches)) << data;
  }
}

TEST_F(CaseTextsTest, PromptsEndWhereAnEncoderReadsThem) {
  const std::int32_t end = row_frame(*tokenizer_).after.back();
  for (const char* data : {"bundled", kSyntheticData}) {
    SCOPED_TRACE(data);
    Case prompts = request(data, std::nullopt, 1);
    prompts.scenario = Scenario::kGenerate;
    prompts.prompt_length = 24;
    const DataSet texts = data_of(prompts);
    for (const Task task : {Task::kSeq2SeqLm, Task::kCausalLm}) {
      prompts.task = task;
      const CaseTexts of_case{prompts, config_, texts, *tokenizer_};
      for (const Batch& prompt : make_cycle(of_case).cycle.batches) {
        EXPECT_EQ(prompt.input_ids.back() == end, task == Task::kSeq2SeqLm) << name_of(task);
      }
    }
  }
}

TEST_F(CaseTextsTest, FurtherPromptsContainTheCyclesAndCalibrationHasOthers) {
  for (const char* data : {"bundled", kSyntheticData}) {
    Case prompts = request(data, std::nullopt, 1);
    prompts.scenario = Scenario::kGenerate;
    prompts.prompt_length = 24;
    const DataSet texts = data_of(prompts);
    const CaseTexts of_case{prompts, config_, texts, *tokenizer_};
    const auto cycle = rows_of(make_cycle(of_case).cycle.batches);
    const auto further = rows_of(further_batches(of_case, 32));
    EXPECT_EQ(cycle.size(), 8U);
    EXPECT_EQ(further.size(), 31U);
    std::size_t common = 0;
    for (const auto& row : cycle) common += further.count(row);
    EXPECT_EQ(common, 7U) << data << ": all but the first";
    const CalibrationBatches calibration = calibration_batches(of_case, CalibrationSize());
    EXPECT_FALSE(calibration.shares_texts);
    EXPECT_EQ(calibration.batches.size(), 64U);
    for (const auto& row : rows_of(calibration.batches)) EXPECT_EQ(cycle.count(row) + further.count(row), 0U) << data;
  }
}

TEST_F(CaseTextsTest, TextsOfNaturalLengthsAreCutWhereTheCaseSays) {
  Case natural = request("bundled", std::nullopt, 4);
  const DataSet data = data_of(natural);
  const auto longest_of = [](const std::vector<Batch>& batches) {
    std::int64_t longest = 0;
    for (const Batch& batch : batches) longest = std::max(longest, batch.sequence_length);
    return longest;
  };
  const Cycle whole = make_cycle({natural, config_, data, *tokenizer_}).cycle;
  ASSERT_GT(longest_of(whole.batches), 12);
  EXPECT_EQ(whole.truncated_examples, 0);
  natural.max_length = 12;
  const CaseTexts texts{natural, config_, data, *tokenizer_};
  const Cycle cut = make_cycle(texts).cycle;
  EXPECT_EQ(longest_of(cut.batches), 12);
  EXPECT_GT(cut.truncated_examples, 0);
  EXPECT_EQ(cut.used_examples, whole.used_examples);
  EXPECT_LE(longest_of(calibration_batches(texts, CalibrationSize()).batches), 12);
}

// Texts of 10 to 19 tokens in rows of 16: those of 17, 18 and 19 are cut.
TEST_F(CaseTextsTest, DrawnLengthsArePaddedAndCutToTheRowsForEveryBatchSize) {
  constexpr std::int64_t kTexts = 100;
  const std::int64_t useful = 10 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 16 + 16 + 16);
  const std::int64_t wide = 10 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19);
  for (const auto& [width, expected, cut] : {std::tuple(16, useful, 30), std::tuple(64, wide, 0)}) {
    std::vector<std::set<std::vector<std::int64_t>>> rows;
    for (const std::int64_t batch_size : {1, 8, 30, 100}) {
      SCOPED_TRACE(batch_size);
      Case drawn = request(kSyntheticData, width, batch_size);
      drawn.length_distribution = "uniform:10:19";
      DataSet data;
      data.examples.resize(kTexts);
      const Cycle cycle = make_cycle({drawn, config_, data, *tokenizer_}).cycle;
      std::int64_t all_useful = 0, all_processed = 0;
      for (const Batch& batch : cycle.batches) {
        EXPECT_EQ(batch.sequence_length, width);
        all_useful += batch.useful_tokens;
        all_processed += batch.processed_tokens;
      }
      EXPECT_EQ(static_cast<std::int64_t>(cycle.batches.size()), (kTexts + batch_size - 1) / batch_size);
      EXPECT_EQ(all_useful, expected);
      EXPECT_EQ(all_processed, kTexts * width);
      EXPECT_EQ(cycle.truncated_examples, cut);
      rows.push_back(rows_of(cycle.batches));
      EXPECT_EQ(rows.back().size(), static_cast<std::size_t>(kTexts));
      EXPECT_EQ(rows.back(), rows.front()) << "the same texts";
    }
  }
}

TEST_F(CaseTextsTest, ACutCycleOfDrawnLengthsKeepsItsRows) {
  Case drawn = request(kSyntheticData, 32, 4);
  drawn.length_distribution = "uniform:8:24";
  const DataSet data = data_of(request(kSyntheticData, std::nullopt, 4));
  const CaseTexts texts{drawn, config_, data, *tokenizer_};
  CycleSource source = make_cycle(texts).source;
  ASSERT_EQ(source.order.size(), 100U);
  source.options.cut_examples = 10;
  const Cycle cut = build_cycle(source.order, source.encodings, source.frame, source.options);
  ASSERT_EQ(cut.batches.size(), 3U);
  for (const Batch& batch : cut.batches) EXPECT_EQ(batch.sequence_length, 32);
  const auto compared = rows_of(make_cycle(texts).cycle.batches);
  const auto calibration = rows_of(calibration_batches(texts, CalibrationSize()).batches);
  EXPECT_EQ(calibration.size(), 64U);
  for (const auto& row : calibration) {
    EXPECT_EQ(row.size(), 32U);
    EXPECT_EQ(compared.count(row), 0U);
  }
}

TEST_F(CaseTextsTest, CalibrationTakesOtherTextsThanAreCompared) {
  // A text's index in the data set names it; of a row of fixed length that of the first of its texts.
  for (const std::int64_t limit : {20, 100, 299}) {
    Case natural = request("bundled", std::nullopt, 4);
    natural.limit = limit;
    const DataSet data = data_of(natural);
    const CaseTexts texts{natural, config_, data, *tokenizer_};
    const CalibrationBatches calibration = calibration_batches(texts, CalibrationSize());
    std::set<std::vector<std::int64_t>> rows = rows_of(calibration.batches);
    EXPECT_EQ(calibration.batches.size(), 16U) << "64 texts";
    std::vector<Batch> compared = make_cycle(texts).cycle.batches;
    compared.resize(std::min<std::size_t>(compared.size(), 16));
    // Unpadded rows would be the same text.
    std::set<std::vector<std::int64_t>> unpadded;
    const auto strip = [](std::vector<std::int64_t> row) {
      while (!row.empty() && row.back() == 0) row.pop_back();
      return row;
    };
    for (const auto& row : rows) unpadded.insert(strip(row));
    for (const auto& row : rows_of(compared)) EXPECT_EQ(unpadded.count(strip(row)), 0U) << limit;
  }
}

TEST_F(CaseTextsTest, RowsOfAFixedLengthCalibrateOnTextsThatNoComparedRowHolds) {
  const Case fixed = request("bundled", 64, 8);
  const DataSet data = data_of(fixed);
  const CaseTexts texts{fixed, config_, data, *tokenizer_};
  const CalibrationBatches calibration = calibration_batches(texts, CalibrationSize());
  ASSERT_FALSE(calibration.shares_texts);
  EXPECT_EQ(calibration.batches.size(), 8U) << "64 rows";
  CycleOptions options;
  options.batch_size = 8;
  options.sequence_length = 64;
  options.further_batches = 3;
  const std::int64_t used = build_cycle(data, *tokenizer_, options).used_examples;
  const std::vector<std::size_t> order = select_examples(data.examples.size(), options);
  std::set<std::string> compared;
  for (std::int64_t i = 0; i < used; ++i) compared.insert(data.examples[order[static_cast<std::size_t>(i)]].text);
  EXPECT_LT(compared.size(), data.examples.size());
  std::set<std::vector<std::int64_t>> beginnings;  // of the texts that are compared
  for (const std::string& text : compared) {
    std::vector<std::int64_t> ids;
    for (const std::int32_t id : tokenizer_->encode(text, {}).ids) ids.push_back(id);
    ids.resize(std::min<std::size_t>(ids.size(), 6));
    beginnings.insert(ids);
  }
  for (const auto& row : rows_of(calibration.batches)) {
    EXPECT_EQ(beginnings.count({row.begin(), row.begin() + 6}), 0U);
  }
}

TEST_F(CaseTextsTest, WhereRowsHoldAllTextsCalibrationSaysThatItSharesThem) {
  const Case fixed = request("bundled", 512, 8);
  const DataSet data = data_of(fixed);
  const CalibrationBatches calibration = calibration_batches({fixed, config_, data, *tokenizer_}, CalibrationSize());
  EXPECT_TRUE(calibration.shares_texts);
  EXPECT_EQ(calibration.batches.size(), 1U) << "4,096 tokens";
}

TEST_F(CaseTextsTest, SyntheticTextsNeverRunOut) {
  for (const std::optional<std::int64_t> length : {std::optional<std::int64_t>(16), std::optional<std::int64_t>()}) {
    const Case synthetic = request(kSyntheticData, length, 4);
    const DataSet data = data_of(synthetic);
    const CaseTexts texts{synthetic, config_, data, *tokenizer_};
    const auto calibration = rows_of(calibration_batches(texts, CalibrationSize()).batches);
    EXPECT_EQ(calibration.size(), 64U);
    std::vector<Batch> compared = make_cycle(texts).cycle.batches;
    if (length) {
      for (Batch& batch : further_batches(texts, 32)) compared.push_back(std::move(batch));
    }
    for (const auto& row : rows_of(compared)) EXPECT_EQ(calibration.count(row), 0U);
  }
}

}  // namespace
}  // namespace transformeter
