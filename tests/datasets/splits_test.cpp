// Files with several splits: which is read, how classes are numbered, and every way they can be wrong.
#include "datasets/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFile = R"({"train": [["pay it", "pay"], ["who?", "ask"]], "val": [["when?", "ask"]],
  "oos": [["x", "none"]], "rest": []})";

class Splits : public testing::Test {
 protected:
  TemporaryFolder folder_;

  DataSet load(std::string_view content, const DataOptions& options) const {
    return load_dataset(folder_.write("data.json", content), options);
  }
  static DataOptions split(const char* name) {
    DataOptions options;
    options.split = name;
    return options;
  }
  std::string failure_of(std::string_view content, const DataOptions& options) const {
    try {
      load(content, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << content;
    return "";
  }
};

TEST_F(Splits, AreReadOneAtATimeWithTheClassesOfAll) {
  const DataSet train = load(kFile, split("train"));
  ASSERT_EQ(train.examples.size(), 2u);
  EXPECT_EQ(train.examples[0].text, "pay it");
  EXPECT_EQ(train.examples[0].label, 2);
  EXPECT_EQ(train.examples[1].label, 0);
  EXPECT_THAT(train.label_names, ElementsAre("ask", "none", "pay"));
  const DataSet val = load(kFile, split("val"));
  ASSERT_EQ(val.examples.size(), 1u);
  EXPECT_EQ(val.examples[0].text, "when?");
  EXPECT_EQ(val.examples[0].label, 0);
  EXPECT_EQ(val.label_count, 3);
}

TEST_F(Splits, KeepTheOrderOfAListOfClasses) {
  DataOptions options = split("val");
  options.labels = folder_.write("classes.txt", "none\npay\nask\n").string();
  EXPECT_EQ(load(kFile, options).examples.at(0).label, 2);
  options.labels = folder_.write("classes.txt", "pay\nask\n").string();
  EXPECT_THAT(failure_of(kFile, options), AllOf(HasSubstr("oos[0][1]"), HasSubstr("'none'"), HasSubstr("pay, ask")));
}

TEST_F(Splits, NeedNoChoiceWhereThereIsOne) {
  EXPECT_EQ(load(R"({"test":[["a","x"],["b","y"]]})", {}).examples.size(), 2u);
}

TEST_F(Splits, AreNamedWhereNoneIsChosen) {
  EXPECT_THAT(failure_of(kFile, {}), AllOf(HasSubstr("data.json"), HasSubstr("--split"), HasSubstr("train (2 texts)"),
                                           HasSubstr("val (1 texts)"), HasSubstr("oos (1 texts)")));
  EXPECT_THAT(failure_of(kFile, split("vall")),
              AllOf(HasSubstr("'vall'"), HasSubstr("train"), HasSubstr("Did you mean 'val'?")));
  EXPECT_THAT(failure_of(kFile, split("rest")), AllOf(HasSubstr("'rest'"), HasSubstr("no examples")));
}

TEST_F(Splits, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(failure_of(R"({"a": [["x"]]})", {}), AllOf(HasSubstr("data.json: a[0]"), HasSubstr("not 1 values")));
  EXPECT_THAT(failure_of(R"({"a": [["x", "y"], "z"]})", {}), AllOf(HasSubstr("a[1]"), HasSubstr("a list")));
  EXPECT_THAT(failure_of(R"({"a": [["x", ""]]})", {}), AllOf(HasSubstr("a[0][1]"), HasSubstr("empty")));
  EXPECT_THAT(failure_of(R"({"a": [["x", 1]]})", {}), AllOf(HasSubstr("a[0][1]"), HasSubstr("a string")));
  EXPECT_THAT(failure_of(R"({"a": [["x", "y"]], "b": 3})", split("a")), AllOf(HasSubstr(": b"), HasSubstr("a list")));
  EXPECT_THAT(failure_of(R"({"a": [["x", "y"])", {}), HasSubstr("data.json"));
  EXPECT_THAT(failure_of(R"({"a": []})", {}), HasSubstr("data.json"));
}

TEST_F(Splits, AreOptionsOfTheirFormAlone) {
  DataOptions columns;
  columns.text_column = "text";
  EXPECT_THAT(failure_of(kFile, columns), AllOf(HasSubstr("'splits'"), HasSubstr("no columns to choose")));
  EXPECT_THAT(failure_of("{\"text\": \"a\", \"label\": \"x\"}\n", split("val")),
              AllOf(HasSubstr("'json_lines'"), HasSubstr("no splits to choose")));
}

TEST_F(Splits, AreToldFromOtherJson) {
  EXPECT_TRUE(looks_like_splits(" {\n \"val\" : [\n [\"a\""));
  EXPECT_TRUE(looks_like_splits(R"({"val":[],)"));
  EXPECT_FALSE(looks_like_splits(R"({"data": [{"id")"));
  EXPECT_FALSE(looks_like_splits(R"({"text": "a")"));
  EXPECT_FALSE(looks_like_splits("{\"text"));
  EXPECT_FALSE(looks_like_splits(""));
}

}  // namespace
}  // namespace transformeter
