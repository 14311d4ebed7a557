// Examples kept back: how many, which, and never on both sides.
#include "tasks/hold_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

DataSet numbered(std::size_t count) {
  DataSet data;
  data.label_count = 2;
  for (std::size_t i = 0; i < count; ++i) data.examples.push_back({std::to_string(i), std::nullopt, 0});
  return data;
}

std::vector<int> numbers(const DataSet& data) {
  std::vector<int> numbers;
  for (const Example& example : data.examples) numbers.push_back(std::stoi(example.text));
  return numbers;
}

// An image's captions are all on one side.
TEST(HoldOut, OfCaptionsDividesImages) {
  DataSet data;
  data.task = Task::kContrastiveImageText;
  for (int i = 0; i < 20; ++i) data.examples.push_back({std::to_string(i / 5) + ".png", std::nullopt, std::nullopt});
  const HeldOut<DataSet> divided = hold_out(data, 0.25, 3, "f");
  EXPECT_EQ(divided.kept.examples.size(), 5U);
  std::set<std::string> kept, learnt;
  for (const Example& example : divided.kept.examples) kept.insert(example.text);
  for (const Example& example : divided.learnt.examples) learnt.insert(example.text);
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_EQ(learnt.size(), 3U);
  data.examples.resize(5);
  try {
    hold_out(data, 0.5, 3, "f");
    ADD_FAILURE() << "one image";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("has 1 images"));
  }
}

TEST(HoldOut, DividesExamplesByTheSeed) {
  const HeldOut<DataSet> one = hold_out(numbered(100), 0.2, 7, "f");
  EXPECT_EQ(one.kept.examples.size(), 20U);
  EXPECT_EQ(one.learnt.examples.size(), 80U);
  EXPECT_EQ(one.kept.label_count, 2);
  std::vector<int> kept = numbers(one.kept);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end())) << "in the file's order";
  std::set<int> all(kept.begin(), kept.end());
  for (const int number : numbers(one.learnt)) EXPECT_TRUE(all.insert(number).second) << number;
  EXPECT_EQ(all.size(), 100U);
  EXPECT_EQ(numbers(hold_out(numbered(100), 0.2, 7, "f").kept), kept);
  EXPECT_NE(numbers(hold_out(numbered(100), 0.2, 8, "f").kept), kept);
}

TEST(HoldOut, LeavesOneOnEitherSide) {
  EXPECT_EQ(hold_out(numbered(2), 0.01, 0, "f").kept.examples.size(), 1U);
  EXPECT_EQ(hold_out(numbered(2), 0.99, 0, "f").kept.examples.size(), 1U);
  EXPECT_THROW(hold_out(numbered(1), 0.5, 0, "f"), Error);
  EXPECT_THROW(hold_out(numbered(9), 0, 0, "f"), Error);
  EXPECT_THROW(hold_out(numbered(9), 1, 0, "f"), Error);
}

// 5 articles of 4 questions each; half of 20 questions are 3 articles, as 2 are too few.
TEST(HoldOut, KeepsWholeArticles) {
  QuestionSet set;
  set.contexts = {"c"};
  for (std::size_t i = 0; i < 20; ++i) set.questions.push_back({std::to_string(i), "q", 0, i / 4, {}});
  const HeldOut<QuestionSet> divided = hold_out(set, 0.5, 3, "f");
  std::set<std::size_t> kept;
  for (const Question& question : divided.kept.questions) kept.insert(question.group);
  EXPECT_EQ(divided.kept.questions.size(), 12U);
  EXPECT_EQ(kept.size(), 3U);
  for (const Question& question : divided.learnt.questions) EXPECT_EQ(kept.count(question.group), 0U);
}

}  // namespace
}  // namespace transformeter
