// Batches made ahead: their order, their content, and what happens when nobody takes them.
#include "tasks/batch_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Example i has i % most_rows + 1 rows of 1 to 50 tokens; its first token is i, so that batches can be told apart.
class CountedRows final : public TrainingRows {
 public:
  explicit CountedRows(std::size_t size, std::size_t most_rows = 1, LabelKind kind = LabelKind::kToken)
      : size_(size), most_rows_(most_rows), kind_(kind) {}

  std::size_t size() const override { return size_; }
  std::int64_t row_count() const override {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < size_; ++i) count += static_cast<std::int64_t>(rows_of(i));
    return count;
  }
  LabelKind label_kind() const override { return kind_; }

  std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const override {
    ++calls;
    if (slowness > std::chrono::nanoseconds::zero()) std::this_thread::sleep_for(slowness);
    if (static_cast<std::int64_t>(example) == failing && epoch == 0) throw Error(ErrorKind::kBadInput, "no such row");
    std::vector<TrainingRow> rows(rows_of(example));
    for (std::size_t part = 0; part < rows.size(); ++part) {
      TrainingRow& row = rows[part];
      const std::size_t length = 1 + RandomStream(example * 31 + part).below(50);
      row.encoding.ids.assign(length, static_cast<std::int32_t>(part));
      row.encoding.ids.front() = static_cast<std::int32_t>(example);
      row.encoding.type_ids.assign(length, 1);
      row.encoding.special_mask.assign(length, 0);
      const auto label = static_cast<std::int64_t>(1000 * example + part);
      row.labels.assign(kind_ == LabelKind::kToken ? length : kind_ == LabelKind::kSpan ? 2 : 1, label);
      row.labels.back() += epoch;
    }
    return rows;
  }

  mutable std::atomic<std::size_t> calls = 0;
  std::int64_t failing = -1;
  std::chrono::nanoseconds slowness{};

 private:
  std::size_t rows_of(std::size_t example) const { return example % most_rows_ + 1; }

  std::size_t size_;
  std::size_t most_rows_;
  LabelKind kind_;
};

LoaderOptions small_windows(std::int64_t threads) {
  LoaderOptions options;
  options.batch_size = 4;
  options.window_batches = 3;
  options.pad = 7777;
  options.seed = 5;
  options.threads = threads;
  return options;
}

std::vector<TrainingBatch> take(const TrainingRows& rows, const LoaderOptions& options, std::int64_t count) {
  BatchLoader loader(rows, options);
  std::vector<TrainingBatch> batches;
  while (static_cast<std::int64_t>(batches.size()) < count) batches.push_back(loader.next());
  return batches;
}

void expect_same(const TrainingBatch& a, const TrainingBatch& b) {
  EXPECT_EQ(a.inputs.batch_size, b.inputs.batch_size);
  EXPECT_EQ(a.inputs.sequence_length, b.inputs.sequence_length);
  EXPECT_EQ(a.inputs.input_ids, b.inputs.input_ids);
  EXPECT_EQ(a.inputs.attention_mask, b.inputs.attention_mask);
  EXPECT_EQ(a.inputs.token_type_ids, b.inputs.token_type_ids);
  EXPECT_EQ(a.inputs.example_index, b.inputs.example_index);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.ends, b.ends);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.ends_epoch, b.ends_epoch);
}

void expect_same(const std::vector<TrainingBatch>& a, const std::vector<TrainingBatch>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(a[i], b[i]);
  }
}

std::int64_t padding_of(const std::vector<TrainingBatch>& batches) {
  std::int64_t padding = 0;
  for (const TrainingBatch& batch : batches) padding += batch.inputs.processed_tokens - batch.inputs.useful_tokens;
  return padding;
}

// The ways that a loader is asked in, over examples of one row and of up to three.
class EachWay : public testing::TestWithParam<std::tuple<bool, std::size_t>> {
 protected:
  CountedRows rows_{37, std::get<1>(GetParam())};
  LoaderOptions options(std::int64_t threads) const {
    LoaderOptions options = small_windows(threads);
    options.bucketed = std::get<0>(GetParam());
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(BatchLoader, EachWay, testing::Combine(testing::Bool(), testing::Values(1, 3)));

TEST_P(EachWay, DoesNotDependOnTheNumberOfThreads) {
  const std::vector<TrainingBatch> expected = take(rows_, options(0), 60);
  expect_same(take(rows_, options(1), 60), expected);
  expect_same(take(rows_, options(4), 60), expected);
  LoaderOptions other = options(0);
  other.seed = 6;
  EXPECT_NE(take(rows_, other, 1)[0].inputs.example_index, expected[0].inputs.example_index);
}

TEST_P(EachWay, GivesEveryRowOnceAnEpoch) {
  BatchLoader loader(rows_, options(2));
  const std::int64_t rows = rows_.row_count();
  EXPECT_EQ(loader.batches_per_epoch(), (rows + 3) / 4);
  std::vector<std::vector<std::size_t>> orders;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::multiset<std::size_t> seen;
    orders.emplace_back();
    for (std::int64_t index = 0; index < loader.batches_per_epoch(); ++index) {
      const TrainingBatch batch = loader.next();
      const bool is_last = index + 1 == loader.batches_per_epoch();
      EXPECT_EQ(batch.epoch, epoch);
      EXPECT_EQ(batch.index, index);
      EXPECT_EQ(batch.ends_epoch, is_last);
      EXPECT_EQ(batch.inputs.batch_size, is_last && rows % 4 != 0 ? rows % 4 : 4);
      const std::vector<std::size_t>& examples = batch.inputs.example_index;
      seen.insert(examples.begin(), examples.end());
      orders.back().insert(orders.back().end(), examples.begin(), examples.end());
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) EXPECT_EQ(seen.count(i), rows_.rows(i, epoch).size()) << i;
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST_P(EachWay, GoesOnWhereItIsToldTo) {
  const std::vector<TrainingBatch> all = take(rows_, options(0), 60);
  for (const std::int64_t first : {1, 2, 3, 5, 9, 10, 11, 17, 19, 31, 40}) {
    SCOPED_TRACE(first);
    LoaderOptions options = this->options(first % 2 == 0 ? 0 : 2);
    options.first_batch = first;
    expect_same(take(rows_, options, 15), {all.begin() + first, all.begin() + first + 15});
  }
}

TEST(BatchLoader, PassesOverWhatComesBeforeTheFirstBatchWithoutMakingIt) {
  const CountedRows rows(1000);
  LoaderOptions options = small_windows(0);
  options.first_batch = 5 * 250 + 100;  // 250 batches an epoch
  const TrainingBatch batch = take(rows, options, 1)[0];
  EXPECT_EQ(batch.epoch, 5);
  EXPECT_EQ(batch.index, 100);
  EXPECT_EQ(rows.calls, 12U) << "one window of 3 batches of 4";
}

TEST(BatchLoader, PadsRowsAndLabelsAlike) {
  const CountedRows rows(9);
  for (const TrainingBatch& batch : take(rows, small_windows(0), 3)) {
    const auto length = static_cast<std::size_t>(batch.inputs.sequence_length);
    std::size_t longest = 0;
    std::int64_t useful = 0;
    for (std::size_t row = 0; row < batch.inputs.example_index.size(); ++row) {
      const std::size_t example = batch.inputs.example_index[row];
      const TrainingRow expected = rows.rows(example, 0)[0];
      longest = std::max(longest, expected.encoding.ids.size());
      useful += static_cast<std::int64_t>(expected.encoding.ids.size());
      for (std::size_t column = 0; column < length; ++column) {
        const std::size_t at = row * length + column;
        const bool is_there = column < expected.encoding.ids.size();
        EXPECT_EQ(batch.inputs.input_ids[at], is_there ? expected.encoding.ids[column] : 7777);
        EXPECT_EQ(batch.inputs.attention_mask[at], is_there ? 1 : 0);
        EXPECT_EQ(batch.inputs.token_type_ids[at], is_there ? 1 : 0);
        EXPECT_EQ(batch.labels[at], is_there ? expected.labels[column] : kNoLabel);
      }
    }
    EXPECT_EQ(length, longest);
    EXPECT_EQ(batch.labels.size(), batch.inputs.input_ids.size());
    EXPECT_EQ(batch.inputs.useful_tokens, useful);
    EXPECT_EQ(batch.inputs.processed_tokens, batch.inputs.batch_size * batch.inputs.sequence_length);
    EXPECT_EQ(batch.inputs.has_padding, useful < batch.inputs.processed_tokens);
  }
}

TEST(BatchLoader, PadsToTheLengthThatIsAskedFor) {
  LoaderOptions options = small_windows(0);
  options.sequence_length = 60;
  const CountedRows rows(9);
  EXPECT_EQ(take(rows, options, 1)[0].inputs.sequence_length, 60);
  options.sequence_length = 8;
  for (const std::int64_t threads : {0, 2}) {
    options.threads = threads;
    BatchLoader loader(rows, options);
    try {
      loader.next();
      ADD_FAILURE() << "a row was cut";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
      EXPECT_THAT(error.what(), HasSubstr("sequence length of 8"));
    }
  }
}

TEST(BatchLoader, KeepsTheDatasOrderWhereItIsNotShuffled) {
  LoaderOptions options = small_windows(2);
  options.shuffled = false;
  const CountedRows rows(6, 1, LabelKind::kRow);
  const std::vector<TrainingBatch> batches = take(rows, options, 4);
  EXPECT_THAT(batches[0].inputs.example_index, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(batches[1].inputs.example_index, ElementsAre(4, 5));
  EXPECT_THAT(batches[2].inputs.example_index, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(batches[1].labels, ElementsAre(4000, 5000));
  EXPECT_THAT(batches[3].labels, ElementsAre(4001, 5001)) << "asked for with the epoch";
  EXPECT_TRUE(batches[1].ends.empty());
}

TEST(BatchLoader, GivesBothEndsOfSpans) {
  LoaderOptions options = small_windows(0);
  options.shuffled = false;
  const CountedRows rows(3, 1, LabelKind::kSpan);
  LoaderOptions second = options;
  second.first_batch = 1;
  const TrainingBatch batch = take(rows, second, 1)[0];
  EXPECT_EQ(batch.label_kind, LabelKind::kSpan);
  EXPECT_THAT(batch.labels, ElementsAre(0, 1000, 2000));
  EXPECT_THAT(batch.ends, ElementsAre(1, 1001, 2001));
}

// Rows of one token; the target of example i has i tokens.
class TargetRows final : public TrainingRows {
 public:
  explicit TargetRows(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(size_); }
  LabelKind label_kind() const override { return LabelKind::kTarget; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    TrainingRow row;
    row.encoding.ids = row.encoding.type_ids = {7};
    row.encoding.special_mask = {0};
    row.labels.assign(example, static_cast<std::int64_t>(example));
    return {std::move(row)};
  }

 private:
  std::size_t size_;
};

TEST(BatchLoader, PadsTargetsApartFromTheirRows) {
  LoaderOptions options;
  options.batch_size = 2;
  options.shuffled = false;
  options.threads = 0;
  const TargetRows rows(4);
  const std::vector<TrainingBatch> batches = take(rows, options, 2);
  EXPECT_EQ(batches[0].inputs.sequence_length, 1);
  EXPECT_EQ(batches[0].target_length, 1);
  EXPECT_THAT(batches[0].labels, ElementsAre(kNoLabel, 1));
  EXPECT_EQ(batches[1].target_length, 3);
  EXPECT_THAT(batches[1].labels, ElementsAre(2, 2, kNoLabel, 3, 3, 3));
  EXPECT_THAT(target_lengths(batches[0]), ElementsAre(0, 1));
  EXPECT_THAT(target_lengths(batches[1]), ElementsAre(2, 3));
  options.sequence_length = 4;
  EXPECT_THAT(take(rows, options, 1)[0].labels,
              ElementsAre(kNoLabel, kNoLabel, kNoLabel, kNoLabel, 1, kNoLabel, kNoLabel, kNoLabel));
  options.sequence_length = 2;
  try {
    take(rows, options, 2);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
    EXPECT_THAT(error.what(), HasSubstr("a target of 3 tokens does not fit into a sequence length of 2"));
  }
}

TEST(BatchLoader, OfOneEmptyTargetHasOneColumn) {
  LoaderOptions options;
  options.threads = 0;
  const TrainingBatch batch = take(TargetRows(1), options, 1)[0];
  EXPECT_EQ(batch.target_length, 1);
  EXPECT_THAT(batch.labels, ElementsAre(kNoLabel));
}

TEST(BatchLoader, CarriesRowsOverFromWindowToWindow) {
  LoaderOptions options = small_windows(1);
  options.batch_size = 2;
  options.window_batches = 1;
  options.shuffled = false;
  const CountedRows rows(4, 3);  // rows of examples 0 1 1 | 2 2 2 3
  const std::vector<TrainingBatch> batches = take(rows, options, 4);
  EXPECT_THAT(batches[0].inputs.example_index, ElementsAre(0, 1));
  EXPECT_THAT(batches[1].inputs.example_index, ElementsAre(1, 2));
  EXPECT_THAT(batches[2].inputs.example_index, ElementsAre(2, 2));
  EXPECT_THAT(batches[3].inputs.example_index, ElementsAre(3));
}

// 9 and 13 rows: the last of an epoch is the only one of a window of its own, or of the last window.
TEST(BatchLoader, LeavesOutALastBatchOfTooFewRows) {
  for (const std::int64_t threads : {0, 2}) {
    for (const auto& [size, window] : {std::pair<std::size_t, std::int64_t>{9, 1}, {9, 2}, {13, 2}, {13, 4}}) {
      SCOPED_TRACE(testing::Message() << threads << " " << size << " " << window);
      LoaderOptions options = small_windows(threads);
      options.window_batches = window;
      options.least_rows = 2;
      const CountedRows rows(size);
      const auto per_epoch = static_cast<std::int64_t>(size / 4);
      EXPECT_EQ(BatchLoader(rows, options).batches_per_epoch(), per_epoch);
      const std::vector<TrainingBatch> batches = take(rows, options, 3 * per_epoch);
      std::set<std::size_t> seen;
      for (std::int64_t i = 0; i < 3 * per_epoch; ++i) {
        const TrainingBatch& batch = batches[static_cast<std::size_t>(i)];
        EXPECT_EQ(batch.inputs.batch_size, 4);
        EXPECT_EQ(batch.epoch, i / per_epoch);
        EXPECT_EQ(batch.index, i % per_epoch);
        EXPECT_EQ(batch.ends_epoch, i % per_epoch + 1 == per_epoch);
        if (batch.epoch == 0) seen.insert(batch.inputs.example_index.begin(), batch.inputs.example_index.end());
      }
      EXPECT_EQ(seen.size(), size - 1);
      options.first_batch = per_epoch + 1;
      const std::vector<TrainingBatch> later = take(rows, options, 2);
      expect_same(later, {batches.begin() + per_epoch + 1, batches.begin() + per_epoch + 3});
    }
  }
}

TEST(BatchLoader, KeepsALastBatchOfEnoughRows) {
  LoaderOptions options = small_windows(0);
  options.least_rows = 2;
  const std::vector<TrainingBatch> batches = take(CountedRows(10), options, 3);
  EXPECT_EQ(batches[2].inputs.batch_size, 2);
  EXPECT_TRUE(batches[2].ends_epoch);
}

TEST(BatchLoader, PadsLessInBuckets) {
  const CountedRows rows(480);
  LoaderOptions options = small_windows(0);
  options.window_batches = 20;
  const std::vector<TrainingBatch> plain = take(rows, options, 120);
  options.bucketed = true;
  const std::vector<TrainingBatch> bucketed = take(rows, options, 120);
  EXPECT_LT(padding_of(bucketed), padding_of(plain) / 4);
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 20; ++i) lengths.push_back(bucketed[static_cast<std::size_t>(i)].inputs.sequence_length);
  EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end())) << "batches are shuffled";
}

TEST(BatchLoader, MakesNoMoreThanMayWait) {
  const CountedRows rows(10000);
  LoaderOptions options = small_windows(2);
  options.windows_ahead = 3;
  BatchLoader loader(rows, options);
  const auto settle = [&](std::size_t windows) {
    const std::size_t expected = windows * 12;
    for (int i = 0; i < 5000 && rows.calls < expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(rows.calls, expected);
  };
  settle(3 + 2);
  for (int i = 0; i < 3; ++i) loader.next();  // of one window
  settle(3 + 2 + 1);
  loader.next();
  settle(3 + 2 + 2);
}

TEST(BatchLoader, ThrowsInItsPlaceWhatAThreadThrew) {
  CountedRows rows(48);
  rows.failing = 30;  // in the third of four windows
  for (const std::int64_t threads : {0, 1, 3}) {
    SCOPED_TRACE(threads);
    LoaderOptions options = small_windows(threads);
    options.shuffled = false;
    BatchLoader loader(rows, options);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(loader.next().inputs.example_index.front(), 4 * i);
    for (int again = 0; again < 2; ++again) {
      try {
        loader.next();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "no such row");
      }
    }
  }
}

TEST(BatchLoader, EndsAtOnceWhateverItsThreadsDo) {
  CountedRows rows(100000);
  const auto begin = std::chrono::steady_clock::now();
  {  // threads that wait because nobody asks
    BatchLoader loader(rows, small_windows(3));
    loader.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  rows.slowness = std::chrono::milliseconds(2);
  {  // threads in the midst of windows that would take minutes
    LoaderOptions options = small_windows(3);
    options.window_batches = 20000;
    BatchLoader loader(rows, options);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(BatchLoader, RefusesWhatCannotBe) {
  const CountedRows rows(5);
  const auto failure = [&](auto change) -> std::string {
    LoaderOptions options;
    change(options);
    try {
      const BatchLoader loader(rows, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(failure([](LoaderOptions& o) { o.batch_size = 0; }), HasSubstr("batch size '0'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.least_rows = 0; }), HasSubstr("least_rows '0'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.least_rows = 2; }), HasSubstr("batch size '1'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.sequence_length = 0; }), HasSubstr("sequence length '0'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.window_batches = 0; }), HasSubstr("window_batches '0'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.threads = -1; }), HasSubstr("threads '-1'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.windows_ahead = -1; }), HasSubstr("windows_ahead '-1'"));
  EXPECT_THAT(failure([](LoaderOptions& o) { o.first_batch = -1; }), HasSubstr("first_batch '-1'"));
}

}  // namespace
}  // namespace transformeter
