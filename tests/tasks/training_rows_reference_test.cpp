// The rows that Hugging Face's example scripts make of the same texts; see tests/data/training/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tasks/training_rows.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using Ids = std::vector<std::int32_t>;
using Labels = std::vector<std::int64_t>;

class TrainingRowsReference : public testing::Test {
 protected:
  // The rows of one epoch of a file with such content, by example.
  std::vector<std::vector<TrainingRow>> read(Task task, const std::string& file, std::string_view content) const {
    TrainingRowsOptions options;
    options.task = task;
    options.max_length = reference_.at(name_of(task)).at("max_length").get<std::int64_t>();
    options.stride = reference_.at(name_of(task)).value("stride", std::int64_t{0});
    const LabelledRows read = read_training_rows(folder_.write(file, content).string(), {}, *tokenizer_, options);
    classes_ = read.class_names;
    std::vector<std::vector<TrainingRow>> rows;
    std::size_t count = 0;
    for (std::size_t i = 0; i < read.rows->size(); ++i) {
      rows.push_back(read.rows->rows(i, 0));
      count += rows.back().size();
    }
    EXPECT_EQ(static_cast<std::int64_t>(count), read.rows->row_count());
    return rows;
  }

  const Json reference_ = Json::parse(read_file(source_directory() / "tests/data/training/rows.json"));
  TemporaryFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(source_directory() / "share/texts/vocab.txt");
  mutable std::vector<std::string> classes_;
};

TEST_F(TrainingRowsReference, HasTheWindowsAndAnswersOfQuestions) {
  const Json& expected = reference_.at("question_answering");
  const auto rows = read(Task::kQuestionAnswering, "f.json", Json{{"data", expected.at("data")}}.dump());
  ASSERT_EQ(rows.size(), expected.at("rows").size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    const Json& windows = expected.at("rows").at(i);
    ASSERT_EQ(rows[i].size(), windows.size());
    for (std::size_t part = 0; part < windows.size(); ++part) {
      SCOPED_TRACE(part);
      EXPECT_EQ(rows[i][part].encoding.ids, windows[part].at("ids").get<Ids>());
      EXPECT_EQ(rows[i][part].encoding.type_ids, windows[part].at("type_ids").get<Ids>());
      EXPECT_EQ(rows[i][part].labels, windows[part].at("labels").get<Labels>());
    }
  }
}

TEST_F(TrainingRowsReference, HasTheClassesOfWords) {
  const Json& expected = reference_.at("token_classification");
  std::string file;
  for (const Json& sentence : expected.at("sentences")) {
    for (const Json& word : sentence) file += word[0].get<std::string>() + "\t" + word[1].get<std::string>() + "\n";
    file += "\n";
  }
  const auto rows = read(Task::kTokenClassification, "f.conll", file);
  EXPECT_EQ(classes_, expected.at("classes").get<std::vector<std::string>>());
  ASSERT_EQ(rows.size(), expected.at("rows").size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(rows[i][0].encoding.ids, expected.at("rows")[i].at("ids").get<Ids>());
    EXPECT_EQ(rows[i][0].labels, expected.at("rows")[i].at("labels").get<Labels>());
  }
}

TEST_F(TrainingRowsReference, HasTheBlocksOfRunningText) {
  const Json& expected = reference_.at("causal_lm");
  for (const char* tokenizer : {"bert", "byte_level"}) {
    SCOPED_TRACE(tokenizer);
    if (std::string_view(tokenizer) == "byte_level") {
      tokenizer_ = load_tokenizer(source_directory() / "tests/data/tokenizers/byte_level_llama3.json");
    }
    const auto rows = read(Task::kCausalLm, "f.txt", expected.at("text").get<std::string>());
    const Json& blocks = expected.at("blocks").at(tokenizer);
    ASSERT_EQ(rows.size(), blocks.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i][0].encoding.ids, blocks[i].get<Ids>());
      EXPECT_EQ(rows[i][0].labels, blocks[i].get<Labels>());
    }
  }
}

}  // namespace
}  // namespace transformeter
