// The rules of a cycle, on encodings whose every number can be worked out by hand.
#include "datasets/cycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/random.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int32_t kPad = 0, kCls = 1, kSep = 2;

RowFrame frame() {
  return {{kCls}, {kSep}, kPad};
}

// [CLS], the text, [SEP].
Encoding encoding_of(const std::vector<std::int32_t>& text) {
  Encoding encoding;
  encoding.ids = {kCls};
  encoding.ids.insert(encoding.ids.end(), text.begin(), text.end());
  encoding.ids.push_back(kSep);
  encoding.type_ids.assign(encoding.ids.size(), 0);
  encoding.special_mask.assign(encoding.ids.size(), 0);
  encoding.special_mask.front() = encoding.special_mask.back() = 1;
  return encoding;
}

// Example i of a data set of `count`: 1 to 40 tokens, the first naming the example.
Encoding example(std::size_t i) {
  std::vector<std::int32_t> text(1 + (i * 7) % 40, 5);
  text.front() = static_cast<std::int32_t>(1000 + i);
  return encoding_of(text);
}

Cycle cycle_of(std::size_t count, const CycleOptions& options) {
  const std::vector<std::size_t> order = select_examples(count, options);
  std::vector<Encoding> encodings;
  for (const std::size_t index : order) encodings.push_back(example(index));
  return build_cycle(order, encodings, frame(), options);
}

std::vector<std::size_t> examples_of(const Cycle& cycle) {
  std::vector<std::size_t> all;
  for (const Batch& batch : cycle.batches) {
    all.insert(all.end(), batch.example_index.begin(), batch.example_index.end());
  }
  return all;
}

TEST(NaturalCycle, PadsToTheLongestAndKeepsTheTrueSizeOfTheLastBatch) {
  const std::vector<Encoding> encodings = {encoding_of({7}), encoding_of({8, 9, 10}), encoding_of({11})};
  CycleOptions options;
  options.batch_size = 2;
  const Cycle cycle = build_cycle({4, 0, 2}, encodings, frame(), options);
  ASSERT_EQ(cycle.batches.size(), 2u) << "ceil(3 / 2)";
  const Batch& first = cycle.batches[0];
  EXPECT_EQ(first.batch_size, 2);
  EXPECT_EQ(first.sequence_length, 5);
  EXPECT_THAT(first.input_ids, ElementsAre(1, 7, 2, 0, 0, 1, 8, 9, 10, 2));
  EXPECT_THAT(first.attention_mask, ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 1, 1));
  EXPECT_EQ(first.token_type_ids.size(), 10u);
  EXPECT_THAT(first.example_index, ElementsAre(4, 0));
  EXPECT_EQ(first.useful_tokens, 8);
  EXPECT_EQ(first.processed_tokens, 10);
  EXPECT_TRUE(first.has_padding);
  const Batch& last = cycle.batches[1];
  EXPECT_EQ(last.batch_size, 1);
  EXPECT_EQ(last.processed_tokens, 3);
  EXPECT_FALSE(last.has_padding);
}

TEST(NaturalCycle, HoldsTheSameExamplesInTheSameOrderForEveryBatchSize) {
  CycleOptions options;
  options.seed = 11;
  for (const std::optional<std::int64_t> limit : {std::optional<std::int64_t>(), std::optional<std::int64_t>(57)}) {
    options.limit = limit;
    options.batch_size = 1;
    const std::vector<std::size_t> reference = examples_of(cycle_of(100, options));
    EXPECT_EQ(reference.size(), static_cast<std::size_t>(limit.value_or(100)));
    EXPECT_EQ(std::set<std::size_t>(reference.begin(), reference.end()).size(), reference.size());
    for (std::int64_t batch_size = 2; batch_size <= 101; ++batch_size) {
      options.batch_size = batch_size;
      EXPECT_EQ(examples_of(cycle_of(100, options)), reference) << batch_size;
    }
  }
}

TEST(NaturalCycle, CountsUsefulTokensAlikeForEveryBatchSize) {
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < 100; ++i) expected += static_cast<std::int64_t>(example(i).ids.size());
  for (const std::int64_t batch_size : {1, 3, 32, 100}) {
    CycleOptions options;
    options.batch_size = batch_size;
    std::int64_t useful = 0;
    for (const Batch& batch : cycle_of(100, options).batches) {
      useful += batch.useful_tokens;
      EXPECT_EQ(std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1), batch.useful_tokens);
      EXPECT_EQ(batch.processed_tokens, batch.batch_size * batch.sequence_length);
    }
    EXPECT_EQ(useful, expected);
  }
}

TEST(NaturalCycle, PadsEachRowToTheLengthThatWasAskedFor) {
  const std::vector<Encoding> encodings = {encoding_of({7}), encoding_of({8, 9}), encoding_of({11})};
  CycleOptions options;
  options.batch_size = 2;
  options.padded_length = 5;
  const Cycle cycle = build_cycle({4, 0, 2}, encodings, frame(), options);
  ASSERT_EQ(cycle.batches.size(), 2u) << "ceil(3 / 2)";
  const Batch& first = cycle.batches[0];
  EXPECT_THAT(first.input_ids, ElementsAre(1, 7, 2, 0, 0, 1, 8, 9, 2, 0));
  EXPECT_THAT(first.attention_mask, ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(first.example_index, ElementsAre(4, 0));
  EXPECT_EQ(first.useful_tokens, 7);
  EXPECT_EQ(first.processed_tokens, 10);
  EXPECT_TRUE(first.has_padding);
  const Batch& last = cycle.batches[1];
  EXPECT_EQ(last.sequence_length, 5) << "one text of 3 tokens";
  EXPECT_EQ(last.useful_tokens, 3);
  EXPECT_EQ(last.processed_tokens, 5);
}

TEST(NaturalCycle, RefusesAPaddedLengthThatDoesNotHoldATextOrThatTheModelCannotHold) {
  const std::vector<Encoding> encodings = {encoding_of({7, 8, 9})};
  CycleOptions options;
  options.max_positions = 8;
  const auto failure = [&](std::int64_t length) -> std::string {
    options.padded_length = length;
    try {
      build_cycle({0}, encodings, frame(), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(failure(4), AllOf(HasSubstr("5 tokens"), HasSubstr("length of 4")));
  EXPECT_THAT(failure(9), AllOf(HasSubstr("length 9"), HasSubstr("to 8")));
  EXPECT_EQ(failure(8), "accepted");
}

TEST(SelectExamples, ALimitIsTheBeginningOfTheSeededOrder) {
  CycleOptions options;
  options.seed = 3;
  std::vector<std::size_t> all = select_examples(50, options);
  options.limit = 20;
  const std::vector<std::size_t> some = select_examples(50, options);
  all.resize(20);
  EXPECT_EQ(some, all);
  options.limit = 500;
  EXPECT_EQ(select_examples(50, options).size(), 50u) << "no more than there are";
  options.seed = 4;
  options.limit = 20;
  EXPECT_NE(select_examples(50, options), some);
}

TEST(SelectExamples, RefusesAnEmptySelection) {
  CycleOptions options;
  EXPECT_THROW(select_examples(0, options), Error);
  options.limit = 0;
  try {
    select_examples(50, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("limit '0'"), HasSubstr("at least 1")));
  }
}

TEST(FixedCycle, PacksTextsWithoutPadding) {
  const std::vector<Encoding> encodings = {encoding_of({7, 8}), encoding_of({9}), encoding_of({10, 11, 12, 13})};
  CycleOptions options;
  options.batch_size = 2;
  options.sequence_length = 6;
  const Cycle cycle = build_cycle({5, 6, 7}, encodings, frame(), options);
  ASSERT_EQ(cycle.batches.size(), 1u);
  const Batch& batch = cycle.batches[0];
  // Row 0: examples 5, 6 and the first of 7; row 1 begins anew, with 5, 6 and 7 again.
  EXPECT_THAT(batch.input_ids, ElementsAre(1, 7, 8, 9, 10, 2, 1, 7, 8, 9, 10, 2));
  EXPECT_THAT(batch.example_index, ElementsAre(5, 5));
  EXPECT_EQ(cycle.wrap_count, 1);
  EXPECT_EQ(batch.useful_tokens, 12);
  EXPECT_EQ(batch.processed_tokens, 12);
  EXPECT_FALSE(batch.has_padding);
  EXPECT_EQ(std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1), 12);
}

TEST(FixedCycle, EachRowIsTheSameForEveryBatchSize) {
  CycleOptions options;
  options.sequence_length = 64;
  options.batch_size = 9;
  const std::vector<std::int64_t> nine = cycle_of(200, options).batches[0].input_ids;
  for (const std::int64_t batch_size : {1, 4, 8}) {
    options.batch_size = batch_size;
    const std::vector<std::int64_t> ids = cycle_of(200, options).batches[0].input_ids;
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), nine.begin())) << batch_size;
  }
}

TEST(FixedCycle, FurtherBatchesGoOnWithTheTextsOfALargerOne) {
  CycleOptions options;
  options.batch_size = 3;
  options.sequence_length = 24;
  options.further_batches = 2;
  const Cycle three = cycle_of(40, options);
  ASSERT_EQ(three.batches.size(), 1U);
  ASSERT_EQ(three.further.size(), 2U);
  options.batch_size = 9;
  options.further_batches = 0;
  const Cycle nine = cycle_of(40, options);
  EXPECT_TRUE(nine.further.empty());
  std::vector<std::int64_t> ids = three.batches.front().input_ids;
  for (const Batch& batch : three.further) {
    EXPECT_EQ(batch.batch_size, 3);
    ids.insert(ids.end(), batch.input_ids.begin(), batch.input_ids.end());
  }
  EXPECT_EQ(ids, nine.batches.front().input_ids);
}

TEST(FixedCycle, WrapCountIgnoresFurtherBatches) {
  CycleOptions options;
  options.batch_size = 1;
  options.sequence_length = 24;
  options.further_batches = 50;
  EXPECT_EQ(cycle_of(10, options).wrap_count, 0);
  options.further_batches = -1;
  EXPECT_THROW(cycle_of(10, options), Error);
}

TEST(FixedCycle, FillsExactlyTheAskedShape) {
  for (const std::int64_t length : {3, 4, 17, 128, 512}) {
    CycleOptions options;
    options.batch_size = 5;
    options.sequence_length = length;
    const Cycle cycle = cycle_of(30, options);
    const Batch& batch = cycle.batches.at(0);
    ASSERT_EQ(batch.input_ids.size(), static_cast<std::size_t>(5 * length));
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_EQ(batch.input_ids[row * static_cast<std::size_t>(length)], kCls);
      EXPECT_EQ(batch.input_ids[(row + 1) * static_cast<std::size_t>(length) - 1], kSep);
    }
    EXPECT_EQ(std::count(batch.input_ids.begin(), batch.input_ids.end(), kPad), 0);
    EXPECT_EQ(std::count(batch.input_ids.begin(), batch.input_ids.end(), kSep), 5);
    EXPECT_EQ(batch.example_index.size(), 5u);
  }
}

// A mistake of earlier suites: a share of padding that was a parameter of a distribution, "0 %" among them.
TEST(PaddedCycle, HasTheShareThatWasAskedForToOneToken) {
  for (const double share : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.75}) {
    for (const std::int64_t batch_size : {1, 3, 8}) {
      for (const std::int64_t length : {16, 61, 128}) {
        CycleOptions options;
        options.batch_size = batch_size;
        options.sequence_length = length;
        options.padding_share = share;
        const Batch batch = cycle_of(200, options).batches.at(0);
        const auto ones = std::count(batch.attention_mask.begin(), batch.attention_mask.end(), 1);
        const auto pads = std::count(batch.input_ids.begin(), batch.input_ids.end(), kPad);
        const double asked = share * static_cast<double>(batch_size * length);
        EXPECT_NEAR(static_cast<double>(pads), asked, 0.5) << share << " " << batch_size << " " << length;
        EXPECT_EQ(ones + pads, batch_size * length);
        EXPECT_EQ(batch.useful_tokens, ones);
        EXPECT_EQ(batch.processed_tokens, batch_size * length);
        EXPECT_EQ(batch.has_padding, share > 0);
        EXPECT_EQ(std::count(batch.input_ids.begin(), batch.input_ids.end(), kSep), batch_size);
      }
    }
  }
}

TEST(PaddedCycle, PadsEachRowBehindItsTokens) {
  CycleOptions options;
  options.batch_size = 2;
  options.sequence_length = 6;
  options.padding_share = 0.25;  // 3 of 12 tokens: one in the first row, two in the second
  const Batch batch =
      build_cycle({5, 6}, {encoding_of({7, 8, 9}), encoding_of({10, 11, 12})}, frame(), options).batches.at(0);
  EXPECT_THAT(batch.input_ids, ElementsAre(1, 7, 8, 9, 2, 0, 1, 10, 11, 2, 0, 0));
  EXPECT_THAT(batch.attention_mask, ElementsAre(1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0));
}

TEST(PaddedCycle, RefusesMorePaddingThanARowCanHold) {
  try {
    padded_row_lengths(1, 8, 0.75);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("0.75"), HasSubstr("2 of 8"), HasSubstr("at least 3")));
  }
  EXPECT_THROW(padded_row_lengths(1, 8, 1), Error);
  CycleOptions natural;
  natural.padding_share = 0.5;
  EXPECT_THROW(cycle_of(5, natural), Error);
}

TEST(FixedCycle, RefusesALengthTheModelCannotHoldNamingBoth) {
  for (const std::int64_t length : {2, 0, -1, 129}) {
    CycleOptions options;
    options.sequence_length = length;
    options.max_positions = 128;
    try {
      cycle_of(5, options);
      FAIL() << length;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(length)), HasSubstr("128")));
    }
  }
}

TEST(FixedCycle, RefusesTextsWithoutTokens) {
  CycleOptions options;
  options.sequence_length = 8;
  EXPECT_THROW(build_cycle({0}, {encoding_of({})}, frame(), options), Error);
}

TEST(CutCycle, DrawsOneExampleFromEachStratumOfLengthsInOldOrder) {
  CycleOptions options;
  options.seed = 5;
  const Cycle whole = cycle_of(101, options);
  options.cut_examples = 5;
  const Cycle cut = cycle_of(101, options);
  ASSERT_EQ(cut.batches.size(), 5u);
  EXPECT_EQ(cut.example_count, 101);

  // The position of each drawn example in the whole cycle, and its rank by length.
  std::vector<std::size_t> positions;
  for (const Batch& batch : cut.batches) {
    for (std::size_t k = 0; k < whole.batches.size(); ++k) {
      if (whole.batches[k].example_index == batch.example_index) positions.push_back(k);
    }
  }
  ASSERT_EQ(positions.size(), 5u);
  EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
  std::vector<std::size_t> by_length(whole.batches.size());
  for (std::size_t k = 0; k < by_length.size(); ++k) by_length[k] = k;
  std::stable_sort(by_length.begin(), by_length.end(), [&](std::size_t a, std::size_t b) {
    return whole.batches[a].processed_tokens < whole.batches[b].processed_tokens;
  });
  std::set<std::size_t> strata;
  for (const std::size_t position : positions) {
    const auto rank = std::find(by_length.begin(), by_length.end(), position) - by_length.begin();
    for (std::size_t s = 0; s < 5; ++s) {
      if (static_cast<std::size_t>(rank) >= s * 101 / 5 && static_cast<std::size_t>(rank) < (s + 1) * 101 / 5)
        strata.insert(s);
    }
  }
  EXPECT_EQ(strata.size(), 5u);
}

// A mistake of earlier suites: different texts for different batch sizes.
TEST(CutCycle, HoldsTheSameTextsForEveryBatchSize) {
  CycleOptions options;
  options.cut_examples = 13;
  const std::vector<std::size_t> single = examples_of(cycle_of(101, options));
  EXPECT_EQ(single.size(), 13u);
  for (const std::int64_t batch_size : {2, 4, 32}) {
    options.batch_size = batch_size;
    EXPECT_EQ(examples_of(cycle_of(101, options)), single);
  }
}

TEST(CutCycle, IsNoCutFromNUpwardsAndRepeats) {
  CycleOptions options;
  options.batch_size = 4;
  const std::vector<std::size_t> whole = examples_of(cycle_of(40, options));
  for (const std::int64_t examples : {40, 41, 1000}) {
    options.cut_examples = examples;
    EXPECT_EQ(examples_of(cycle_of(40, options)), whole);
  }
  options.cut_examples = 3;
  EXPECT_EQ(examples_of(cycle_of(40, options)), examples_of(cycle_of(40, options)));
  options.cut_examples = 0;
  EXPECT_THROW(cycle_of(40, options), Error);
}

TEST(CycleOptions, RefuseABatchSizeBelowOne) {
  CycleOptions options;
  options.batch_size = 0;
  EXPECT_THROW(cycle_of(5, options), Error);
}

// Gives each word the id of its first letter; enough to follow texts through a cycle.
class LetterTokenizer final : public Tokenizer {
 public:
  LetterTokenizer() {
    using Part = ArrangementPart;
    traits_.vocabulary_size = 128;
    traits_.special.pad = kPad;
    traits_.arrangement = {
        {{Part::Kind::kSpecial, kCls, 0}, {Part::Kind::kFirstText, 0, 0}, {Part::Kind::kSpecial, kSep, 0}},
        {{Part::Kind::kFirstText, 0, 0}, {Part::Kind::kSecondText, 0, 1}}};
  }
  const TokenizerTraits& traits() const override { return traits_; }
  std::string_view token(std::int32_t) const override { return {}; }
  mutable int encoded_count = 0;

 protected:
  void do_encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    ++encoded_count;
    ids.insert(ids.end(), text.begin(), text.end());
  }
  std::vector<Token> do_tokenize(std::string_view) const override { return {}; }  // a cycle has no use for it
  std::string do_decode(std::span<const std::int32_t>, bool) const override { return {}; }

 private:
  TokenizerTraits traits_;
};

DataSet letters(std::size_t count) {
  DataSet data;
  for (std::size_t i = 0; i < count; ++i) data.examples.push_back({std::string(10, 'a'), std::nullopt, 1});
  return data;
}

TEST(BuildCycle, TruncatesToTheModelAndCountsIt) {
  DataSet data = letters(3);
  data.examples[1].text = "abc";
  CycleOptions options;
  options.batch_size = 3;
  options.max_positions = 8;
  const Cycle cycle = build_cycle(data, LetterTokenizer(), options);
  EXPECT_EQ(cycle.batches[0].sequence_length, 8);
  EXPECT_EQ(cycle.batches[0].useful_tokens, 8 + 8 + 5);
  EXPECT_EQ(cycle.truncated_examples, 2);
  EXPECT_EQ(cycle.example_count, 3);
}

TEST(BuildCycle, CountsTheTruncatedTextsOfACutCycleOnly) {
  DataSet data = letters(8);
  for (std::size_t i = 0; i < 4; ++i) data.examples[i].text = "abc";
  CycleOptions options;
  options.max_positions = 8;
  EXPECT_EQ(build_cycle(data, LetterTokenizer(), options).truncated_examples, 4);
  options.cut_examples = 2;  // one of the four short ones, one of the four long ones
  EXPECT_EQ(build_cycle(data, LetterTokenizer(), options).truncated_examples, 1);
}

TEST(BuildCycle, EncodesNoMoreThanAFixedShapeNeeds) {
  const DataSet data = letters(1000);
  CycleOptions options;
  options.batch_size = 4;
  options.sequence_length = 27;  // three texts of ten tokens a row
  const LetterTokenizer tokenizer;
  const Cycle cycle = build_cycle(data, tokenizer, options);
  EXPECT_EQ(tokenizer.encoded_count, 12);
  EXPECT_EQ(cycle.wrap_count, 0);
  EXPECT_EQ(cycle.example_count, 1000);
  options.further_batches = 2;
  build_cycle(data, tokenizer, options);
  EXPECT_EQ(tokenizer.encoded_count, 12 + 36);
  options.limit = 7;
  EXPECT_EQ(build_cycle(data, tokenizer, options).wrap_count, 1) << "twelve texts out of seven";
}

}  // namespace
}  // namespace transformeter
