// SST-2 in its three forms, and every way a file can be wrong.
#include "datasets/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/hash.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DataSetTest : public testing::Test {
 protected:
  TemporaryFolder folder_;

  DataSet load(std::string_view content) const { return load_dataset(folder_.write("dev.tsv", content)); }
  std::string failure_of(std::string_view content) const {
    try {
      load(content);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << content;
    return "";
  }
};

TEST_F(DataSetTest, ReadsSentencesWithLabels) {
  const std::string content = "sentence\tlabel\na \"fine\" film . \t1\nbleak\t0\n";
  const DataSet data = load(content);
  ASSERT_EQ(data.examples.size(), 2u);
  EXPECT_EQ(data.examples[0].text, "a \"fine\" film . ");
  EXPECT_EQ(data.examples[0].label, 1);
  EXPECT_EQ(data.examples[1].label, 0);
  EXPECT_EQ(data.examples[1].text_pair, std::nullopt);
  EXPECT_EQ(data.label_count, 2);
  EXPECT_EQ(data.sha256, sha256_hex(content));
  EXPECT_EQ(data.name, folder_.path().filename().string() + "/dev");
}

TEST_F(DataSetTest, ReadsTheUnlabelledAndTheLabelFirstForm) {
  const DataSet unlabelled = load("index\tsentence\n0\tuneasy\n1\tgood\n");
  ASSERT_EQ(unlabelled.examples.size(), 2u);
  EXPECT_EQ(unlabelled.examples[1].text, "good");
  EXPECT_EQ(unlabelled.examples[1].label, std::nullopt);
  EXPECT_EQ(unlabelled.label_count, 0);
  const DataSet label_first = load("label\tcontent\n0\tuneasy\n");
  EXPECT_EQ(label_first.examples[0].text, "uneasy");
  EXPECT_EQ(label_first.examples[0].label, 0);
}

TEST_F(DataSetTest, ToleratesCarriageReturnsAByteOrderMarkAndAMissingLastLineBreak) {
  const DataSet data = load("\xEF\xBB\xBFsentence\tlabel\r\ngood\t1\r\nbad\t0");
  ASSERT_EQ(data.examples.size(), 2u);
  EXPECT_EQ(data.examples[0].text, "good");
  EXPECT_EQ(data.examples[0].label, 1);
}

TEST_F(DataSetTest, NamesFileAndLineOfWhatIsWrong) {
  const std::string header = "sentence\tlabel\ngood\t1\n";
  EXPECT_THAT(failure_of(header + "bad\t2\n"), AllOf(HasSubstr("dev.tsv:3:"), HasSubstr("'2'"), HasSubstr("0 or 1"),
                                                     HasSubstr("--text-column sentence")));
  EXPECT_THAT(failure_of(header + "bad\t\n"), AllOf(HasSubstr("dev.tsv:3:"), HasSubstr("0 or 1")));
  EXPECT_THAT(failure_of(header + "bad\n"), AllOf(HasSubstr("dev.tsv:3:"), HasSubstr("1 columns instead of 2")));
  EXPECT_THAT(failure_of(header + "b\ta\t0\n"), AllOf(HasSubstr("dev.tsv:3:"), HasSubstr("3 columns")));
  EXPECT_THAT(failure_of(header + "b\xC3\t1\n"), AllOf(HasSubstr("dev.tsv:3:"), HasSubstr("UTF-8 at byte 23")));
  EXPECT_THAT(failure_of(""), AllOf(HasSubstr("dev.tsv"), HasSubstr("empty")));
  EXPECT_THAT(failure_of("sentence\tlabel\n"), HasSubstr("no rows"));
  EXPECT_THAT(failure_of("text,label\n"), HasSubstr("no rows"));
}

TEST_F(DataSetTest, TakesFurtherFormatsFromTheTable) {
  std::vector<DataFormat> formats = builtin_data_formats();
  formats.push_back({"whole", "the file is one text", [](const DataSource&) { return true; },
                     [](const DataSource& source) {
                       DataSet data;
                       data.examples.push_back({std::string(source.text), std::nullopt, std::nullopt});
                       return data;
                     }});
  EXPECT_EQ(load_dataset(folder_.write("any.dat", "text"), {}, formats).examples[0].text, "text");
  EXPECT_EQ(load_dataset(folder_.write("dev.tsv", "sentence\tlabel\na\t1\n"), {}, formats).label_count, 2);
  try {
    load_dataset(folder_.write("any.dat", "text"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("any.dat:1:"), HasSubstr("'text'"), HasSubstr("sst2"),
                                    HasSubstr("json_lines"), HasSubstr("conll")));
  }
}

TEST_F(DataSetTest, ReadsQuotedFieldsUnderTheHeaderOfSst2) {
  const DataSet data = load("sentence\tlabel\r\n\"Waste\n\tof money\"\t0\r\n\"said \"\"no\"\"\"\t1\r\n");
  ASSERT_EQ(data.examples.size(), 2u);
  EXPECT_EQ(data.examples[0].text, "Waste\n\tof money");
  EXPECT_EQ(data.examples[1].text, "said \"no\"");
  EXPECT_EQ(data.examples[1].label, 1);
  EXPECT_EQ(data.label_count, 2);
  EXPECT_TRUE(data.label_names.empty());
}

TEST_F(DataSetTest, RefusesQuotingInLaterRowsUnderTheHeaderOfSst2) {
  const std::string plain = "sentence\tlabel\nso so\t0\n";
  EXPECT_THAT(failure_of(plain + "\"said \"\"no\"\"\"\t1\n"),
              AllOf(HasSubstr("dev.tsv:3: text"), HasSubstr("--text-column sentence")));
  EXPECT_THAT(failure_of(plain + "\"Waste\nof money\"\t1\n"),
              AllOf(HasSubstr("dev.tsv:3: 1 columns"), HasSubstr("--text-column sentence")));
  EXPECT_EQ(load(plain + "\"fine\"\t1\n").examples.at(1).text, "\"fine\"") << "nothing in it needs quoting";
  EXPECT_EQ(load(plain + "\"fine\" and \"good\"\t1\n").examples.at(1).text, "\"fine\" and \"good\"");
}

TEST_F(DataSetTest, SkipsEmptyLines) {
  EXPECT_EQ(load("sentence\tlabel\ngood\t1\n\nbad\t0\n\n\n").examples.size(), 2u);
}

TEST_F(DataSetTest, NamesTheClassesOfSst2) {
  DataOptions options;
  options.labels = folder_.write("classes", "negative\npositive\n").string();
  const DataSet data = load_dataset(folder_.write("dev.tsv", "sentence\tlabel\nc\t1\n\"a\" b\t1\n"), options);
  EXPECT_THAT(data.label_names, testing::ElementsAre("negative", "positive"));
  EXPECT_EQ(data.examples.at(1).text, "\"a\" b") << "read as before";
  EXPECT_EQ(data.examples.at(0).label, 1);
}

TEST_F(DataSetTest, GivesTheTextsOfEveryTask) {
  const DataSet questions = load_dataset(folder_.write("a.json", R"({"data": [{"id": "1", "question": "Who?",
      "context": "She did.", "answers": {"text": ["She"], "answer_start": [0]}}]})"));
  EXPECT_EQ(questions.task, Task::kQuestionAnswering);
  EXPECT_EQ(questions.examples.at(0).text, "Who?");
  EXPECT_EQ(questions.examples.at(0).text_pair, "She did.");
  const DataSet sentences = load_dataset(folder_.write("a.conll", "Paris\tB-location\nis\tO\n\nfar\tO\n"));
  EXPECT_EQ(sentences.task, Task::kTokenClassification);
  ASSERT_EQ(sentences.examples.size(), 2u);
  EXPECT_EQ(sentences.examples[0].text, "Paris is");
  const DataSet lines = load_dataset(folder_.write("a.txt", "one\n \ntwo three\n"));
  EXPECT_EQ(lines.task, Task::kCausalLm);
  ASSERT_EQ(lines.examples.size(), 2u);
  EXPECT_EQ(lines.examples[1].text, "two three");
}

TEST_F(DataSetTest, RefusesColumnsForAFormatWithoutColumns) {
  DataOptions options;
  options.text_column = "text";
  try {
    load_dataset(folder_.write("a.conll", "Paris\tB-location\n"), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.conll"), HasSubstr("'conll'"), HasSubstr("no columns")));
  }
}

}  // namespace
}  // namespace transformeter
