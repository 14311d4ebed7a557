// Counts against those done by hand, with the bundled vocabulary, in which "the" and "a" are one token each.
#include "run/data_facts.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "datasets/bundled_data.h"
#include "support/source_tree.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using ::testing::IsEmpty;

// Of `words` words, which are as many tokens, beside [CLS] and [SEP].
Example text_of(int words, std::optional<int> label = std::nullopt) {
  Example example;
  for (int i = 0; i < words; ++i) example.text += i == 0 ? "the" : " the";
  example.label = label;
  return example;
}

class DataFactsTest : public ::testing::Test {
 protected:
  DataFacts facts_of(const DataSet& data, const std::function<void()>& while_working = {}) const {
    return data_facts(data, *tokenizer_, while_working);
  }

  std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(bundled_vocabulary(source_directory() / "share"));
};

TEST_F(DataFactsTest, LengthsAndWhatRowsCutAndPad) {
  DataSet data;
  data.examples = {text_of(8), text_of(18), text_of(38), text_of(68)};  // 10, 20, 40 and 70 tokens
  const DataFacts facts = facts_of(data);
  EXPECT_EQ(facts.texts, 4U);
  EXPECT_EQ(facts.lengths.tokens.mean, 35);
  EXPECT_EQ(facts.lengths.tokens.min, 10);
  EXPECT_EQ(facts.lengths.tokens.max, 70);
  EXPECT_EQ(facts.lengths.p90, 70);
  ASSERT_EQ(facts.lengths.rows.size(), 3U) << "the first that cuts nothing is the last";
  EXPECT_EQ(facts.lengths.rows[0].length, 32);
  EXPECT_EQ(facts.lengths.rows[0].cut_texts, 2U);
  EXPECT_DOUBLE_EQ(facts.lengths.rows[0].padding_ratio, 1 - (10 + 20 + 32 + 32) / 128.0);
  EXPECT_EQ(facts.lengths.rows[2].length, 128);
  EXPECT_EQ(facts.lengths.rows[2].cut_texts, 0U);
  EXPECT_THAT(facts.classes, IsEmpty());
}

TEST_F(DataFactsTest, ClassesHaveTheirNamesAndCounts) {
  DataSet data;
  data.examples = {text_of(1, 1), text_of(1, 1), text_of(1, 0), text_of(1)};
  data.label_count = 3;
  data.label_names = {"no", "yes", "perhaps"};
  const DataFacts facts = facts_of(data);
  ASSERT_EQ(facts.classes.size(), 3U);
  EXPECT_EQ(facts.classes[1].name, "yes");
  EXPECT_EQ(facts.classes[1].texts, 2U);
  EXPECT_EQ(facts.classes[2].texts, 0U);
  EXPECT_EQ(facts.unlabelled, 1U);
  data.label_names.clear();
  EXPECT_EQ(facts_of(data).classes[1].name, "1");
}

TEST_F(DataFactsTest, PairsAreReadTogether) {
  DataSet data;
  data.examples = {text_of(4)};
  data.examples[0].text_pair = "the the the";
  const DataFacts facts = facts_of(data);
  EXPECT_EQ(facts.pairs, 1U);
  EXPECT_EQ(facts.lengths.tokens.max, 4 + 3 + 3) << "[CLS] A [SEP] B [SEP]";
}

TEST_F(DataFactsTest, CanBeStopped) {
  DataSet data;
  data.examples = {text_of(1)};
  EXPECT_THROW(facts_of(data, [] { throw std::runtime_error("stopped"); }), std::runtime_error);
}

}  // namespace
}  // namespace transformeter
