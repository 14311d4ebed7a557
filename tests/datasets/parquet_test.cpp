// Parquet files of every type of column and of every form, and what becomes of damaged ones. Skipped where the library
// that reads them was not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "datasets/conll.h"
#include "datasets/data_file.h"
#include "datasets/dataset.h"
#include "datasets/image_data.h"
#include "datasets/parquet_text.h"
#include "datasets/plain_text.h"
#include "datasets/sound_data.h"
#include "datasets/squad.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

fs::path file(const std::string& name) {
  return source_directory() / "tests/data/parquet" / name;
}

class Parquet : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(binary_directory() / "bin/libtransformeter_parquet.so")) {
      GTEST_SKIP() << "the library that reads Parquet was not built: scripts/setup --data";
    }
  }

  template <typename Call>
  std::string failure_of(const Call& call, ErrorKind kind = ErrorKind::kBadInput) const {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }
  std::string failure(const fs::path& path, const DataOptions& options = {}) const {
    return failure_of([&] { load_dataset(path, options); });
  }

  TemporaryFolder folder_;
};

std::vector<std::string> texts(const DataSet& data) {
  std::vector<std::string> texts;
  for (const Example& example : data.examples) texts.push_back(example.text);
  return texts;
}

std::vector<std::optional<int>> labels(const DataSet& data) {
  std::vector<std::optional<int>> labels;
  for (const Example& example : data.examples) labels.push_back(example.label);
  return labels;
}

TEST_F(Parquet, ShardsOfASplitAreOneDataSetWithTheClassesOfItsMetadata) {
  DataOptions options;
  options.split = "train";
  const DataSet data = load_dataset(file("news"), options);
  EXPECT_EQ(data.name, "news/train");
  EXPECT_THAT(texts(data), ElementsAre("Peace talks begin", "They won", "Shares fall"));
  EXPECT_THAT(labels(data), ElementsAre(0, 1, 2));
  EXPECT_THAT(data.label_names, ElementsAre("World", "Sports", "Business")) << "not sorted";
  EXPECT_EQ(data.sha256, sha256_of_data(file("news"), "train"));
  EXPECT_NE(data.sha256, sha256_of_data(file("news"), "test"));
  const DataSet shard = load_dataset(file("news/data/train-00001-of-00002.parquet"));
  EXPECT_THAT(texts(shard), ElementsAre("Shares fall"));
  EXPECT_EQ(shard.label_count, 3) << "of all classes, not of those that occur";
}

TEST_F(Parquet, ClassesOfMinusOneAreNone) {
  DataOptions options;
  options.split = "test";
  const DataSet data = load_dataset(file("news"), options);
  EXPECT_EQ(data.label_count, 0);
  EXPECT_THAT(labels(data), ElementsAre(std::nullopt, std::nullopt));
}

TEST_F(Parquet, AListOfClassesComesBeforeTheMetadata) {
  DataOptions options;
  options.split = "train";
  options.labels = folder_.write("labels.txt", "a\nb\nc\nd\n").string();
  EXPECT_THAT(load_dataset(file("news"), options).label_names, ElementsAre("a", "b", "c", "d"));
}

TEST_F(Parquet, FoldersAskForASplitAndNoSplitIsAFileS) {
  EXPECT_THAT(failure(file("news")), HasSubstr("several splits; choose one with --split: test, train"));
  DataOptions options;
  options.split = "validation";
  EXPECT_THAT(failure(file("news"), options), HasSubstr("allowed: test, train"));
  EXPECT_THAT(failure(file("types.parquet"), options), HasSubstr("have no splits"));
}

// What each row is worth, by the script that wrote it.
TEST_F(Parquet, EveryTypeIsWritten) {
  const ParquetText all = read_parquet("f", {file("types.parquet")}, {{"large_text", "dictionary", "integer"}});
  EXPECT_EQ(all.extension, ".jsonl");
  EXPECT_EQ(all.text,
            "{\"text\":\"a \\\"quoted\\\"\\u000aline\",\"large_text\":\"one\",\"dictionary\":\"x\",\"integer\":-1}\n"
            "{\"text\":\"café\",\"large_text\":\"two\",\"dictionary\":\"y\",\"integer\":4611686018427387904}\n"
            "{\"text\":\"\\u0009\\\\\",\"large_text\":null,\"dictionary\":\"x\",\"integer\":null}\n");
  const std::string others =
      read_parquet("f", {file("types.parquet")},
                   {{"unsigned", "byte", "real", "single", "half", "flag", "day", "time", "price", "words", "nothing"}})
          .text;
  EXPECT_THAT(others, HasSubstr("\"unsigned\":0,\"byte\":-128,\"real\":1.5,\"single\":0.1,\"half\":0.5,\"flag\":true,"
                                "\"day\":\"2020-01-02\",\"time\":\"2020-01-02 03:04:05.000\",\"price\":\"1.50\","
                                "\"words\":[\"a\",null],\"nothing\":null}\n"));
  EXPECT_THAT(others, HasSubstr("\"unsigned\":18446744073709551615,\"byte\":127,\"real\":null,\"single\":null,"
                                "\"half\":2,\"flag\":false,\"day\":\"1969-12-31\",\"time\":null,\"price\":\"-2.00\","
                                "\"words\":[],\"nothing\":null}\n"))
      << "JSON has neither NaN nor infinity";
}

TEST_F(Parquet, OnlyNeededColumnsAreRead) {
  EXPECT_THAT(read_parquet("f", {file("types.parquet")}, {}).text, Not(HasSubstr("integer"))) << "text is enough";
  DataOptions options;
  options.text_column = "large_text";
  EXPECT_THAT(failure(file("types.parquet"), options), HasSubstr("types.parquet:3: the text (column 'large_text')"));
  options.text_column = "dictionary";
  options.label_column = "day";
  EXPECT_THAT(failure(file("types.parquet"), options), HasSubstr("types.parquet:3: the label is empty"));
}

TEST_F(Parquet, PairsOfTextsAndTargetsAreReadWhereTargetsAreWanted) {
  DataOptions options;
  const DataSet classes = load_dataset(file("pairs.parquet"), options);
  EXPECT_THAT(texts(classes), ElementsAre("Rain again", "Sun at last"));
  EXPECT_THAT(labels(classes), ElementsAre(0, 1));
  EXPECT_THAT(std::string(DataFile(file("pairs.parquet"), options.selection()).text()), Not(HasSubstr("document")));
  options.has_target_texts = true;
  const DataSet pairs = load_dataset(file("pairs.parquet"), options);
  EXPECT_THAT(texts(pairs), ElementsAre("It rained all day.", "Then the sun came out."));
  EXPECT_EQ(pairs.examples[0].target, "rain");
  EXPECT_EQ(pairs.examples[1].target, "sun");
  EXPECT_THAT(std::string(DataFile(file("pairs.parquet"), options.selection()).text()), Not(HasSubstr("note")));
}

TEST_F(Parquet, ColumnsThatAreNotThereOrNotRead) {
  DataOptions options;
  options.text_column = "txt";
  EXPECT_THAT(failure(file("types.parquet"), options),
              AllOf(HasSubstr("text column 'txt'"), HasSubstr("large_text"), HasSubstr("Did you mean 'text'?")));
  for (const auto& [column, type] : {std::pair("record", "struct<a: int64>"), {"bytes", "binary"}, {"map", "map<"}}) {
    options.text_column = column;
    EXPECT_THAT(failure(file("types.parquet"), options),
                AllOf(HasSubstr(std::string("column '") + column), HasSubstr(type), HasSubstr("Read are texts")));
  }
  options = {};
  options.label_column = "tokens";
  EXPECT_THAT(failure(file("sentences.parquet"), options),
              HasSubstr("none of the columns (id, ner_tags, tokens) is known to contain the text"));
  options = {};
  options.text_column = "words";
  EXPECT_THAT(failure(file("types.parquet"), options), HasSubstr("the value of 'words' is an array"));
}

TEST_F(Parquet, TaggedSentences) {
  const TaggedSentenceSet set = load_tagged_sentences(file("sentences.parquet"));
  ASSERT_EQ(set.sentences.size(), 2u) << "a row without tokens is none";
  EXPECT_EQ(set.sentences[0][0].text, "Ann");
  EXPECT_EQ(set.sentences[0][1].tag, "I-PER");
  EXPECT_EQ(set.sentences[0][3].tag, "B-LOC");
  EXPECT_EQ(set.sentences[1][0].text, "{");
  const DataSet data = load_dataset(file("sentences.parquet"));
  EXPECT_EQ(data.task, Task::kTokenClassification);
  EXPECT_THAT(texts(data), ElementsAre("Ann Lee left Bonn", "{ Yes"));
}

TEST_F(Parquet, Questions) {
  const QuestionSet set = load_questions(file("questions.parquet"));
  ASSERT_EQ(set.questions.size(), 2u);
  EXPECT_EQ(set.groups, "articles");
  EXPECT_EQ(set.questions[0].answers.at(0).text, "on the Rhine");
  EXPECT_EQ(set.questions[0].answers.at(0).start, 10u);
  EXPECT_TRUE(set.has_unanswerable);
  EXPECT_EQ(load_dataset(file("questions.parquet")).task, Task::kQuestionAnswering);
}

TEST_F(Parquet, Images) {
  const DataSet data = load_image_data(file("images.parquet"));
  EXPECT_THAT(data.label_names, ElementsAre("dog", "cat"));
  EXPECT_THAT(labels(data), ElementsAre(1, 0));
  EXPECT_EQ(data.examples[0].image, nullptr) << "decoded when its turn comes";
  EXPECT_EQ(image_of(data.examples[0]).width, 1);
  EXPECT_EQ(image_of(data.examples[1]).height, 1);
}

TEST_F(Parquet, Sounds) {
  const DataSet spoken = load_sound_data(file("sounds.parquet"), Task::kSpeechRecognition);
  ASSERT_EQ(spoken.examples.size(), 2U);
  EXPECT_EQ(spoken.examples[1].transcript, "two") << "of a column that texts have no use for";
  EXPECT_EQ(spoken.examples[1].id, "s2");
  EXPECT_EQ(waveform_of(spoken.examples[0], 16'000).samples.size(), 480U) << "of the column audio, not of the path";
  EXPECT_EQ(waveform_of(spoken.examples[1], 16'000).samples.size(), 480U) << "from 48 kHz";
  const DataSet classes = load_sound_data(file("sounds.parquet"), Task::kAudioClassification);
  EXPECT_THAT(classes.label_names, ElementsAre("no", "yes"));
  EXPECT_THAT(labels(classes), ElementsAre(1, 0));
}

// A data set of speech holds gigabytes of sounds.
TEST_F(Parquet, TextsBesideSoundsAreReadWithoutThese) {
  DataOptions options;
  options.text_column = "normalized_text";
  EXPECT_THAT(texts(load_dataset(file("sounds.parquet"), options)), ElementsAre("one", "two"));
  const DataFile read(file("sounds.parquet"), options.selection());
  EXPECT_THAT(std::string(read.text()), AllOf(HasSubstr("two"), Not(HasSubstr("data:;base64,"))));
  options.text_column = "file";
  const DataFile paths(file("sounds.parquet"), options.selection());
  EXPECT_THAT(std::string(paths.text()), AllOf(HasSubstr("1.wav"), Not(HasSubstr("normalized_text"))));
}

TEST_F(Parquet, ContentTellsWhereTheNameDoesNotAndTextIsExpectedOfRunningText) {
  const fs::path renamed = folder_.write("data.bin", read_file(file("questions.parquet")));
  EXPECT_EQ(load_dataset(renamed).task, Task::kQuestionAnswering);
  EXPECT_THAT(failure_of([&] { load_plain_text(renamed); }), HasSubstr("it is a Parquet file; expected text"));
}

TEST_F(Parquet, DamagedFilesAreErrorsThatNameThem) {
  EXPECT_THAT(failure(folder_.write("text.parquet", "a,b\n1,2\n")),
              AllOf(HasSubstr("text.parquet: cannot be read as Parquet: "), HasSubstr("magic bytes"),
                    HasSubstr("parquet file. Is the file damaged, incomplete")));
  EXPECT_THAT(failure(folder_.write("empty.parquet", "")), HasSubstr("empty.parquet: cannot be read as Parquet"));
  EXPECT_THAT(failure(folder_.path() / "none.parquet"), HasSubstr("none.parquet"));
  const std::string whole = read_file(file("types.parquet"));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const fs::path cut = folder_.write("cut.parquet", whole.substr(0, size));
    EXPECT_THAT(failure(cut), AllOf(StartsWith(cut.string()), HasSubstr("cannot be read as Parquet"))) << size;
  }
}

// Data or an error: what else happens, sanitizers and the replayed corpus of the fuzz target show.
TEST_F(Parquet, FlippedBytesAreDataOrAnError) {
  const std::string whole = read_file(file("news/data/train-00000-of-00002.parquet"));
  int errors = 0;
  for (std::size_t place = 0; place < whole.size(); place += 3) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(~damaged[place]);
    const fs::path path = folder_.write("flipped.parquet", damaged);
    try {
      EXPECT_FALSE(load_dataset(path).examples.empty());
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("flipped.parquet"));
      ++errors;
    }
  }
  EXPECT_GT(errors, 100);
}

TEST_F(Parquet, ShardsOfOtherColumnsAreRefused) {
  fs::create_directories(folder_.path() / "d");
  folder_.write("d/train-00000-of-00002.parquet", read_file(file("news/data/train-00000-of-00002.parquet")));
  folder_.write("d/train-00001-of-00002.parquet", read_file(file("sentences.parquet")));
  EXPECT_THAT(failure(folder_.path() / "d"),
              AllOf(HasSubstr("train-00001-of-00002.parquet: no column 'text'"), HasSubstr("other files")));
}

TEST_F(Parquet, AMissingLibraryIsNamedAndOtherFormatsStillWork) {
  for (const char* library : {"/nowhere/lib.so", "/etc/hostname"}) {
    ::setenv("TRANSFORMETER_PARQUET_PLUGIN", library, 1);
    EXPECT_THAT(failure_of([&] { load_dataset(file("types.parquet")); }, ErrorKind::kEnvironment),
                AllOf(HasSubstr("package pyarrow"), HasSubstr(library), HasSubstr("`scripts/setup --data`")));
    EXPECT_EQ(load_dataset(folder_.write("a.csv", "text,label\na,1\n")).examples.size(), 1u);
  }
  ::unsetenv("TRANSFORMETER_PARQUET_PLUGIN");
}

TEST(JoinedFiles, JsonLinesAreJoinedAndOthersAreNot) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "lines");
  fs::create_directories(folder.path() / "tables");
  for (const char* shard : {"lines/train-00000-of-00002", "lines/train-00001-of-00002"}) {
    folder.write(std::string(shard) + ".jsonl", "\xEF\xBB\xBF{\"text\": \"a\", \"label\": 1}");
  }
  folder.write("tables/train-a.csv", "text\na\n");
  folder.write("tables/train-b.csv", "text\nb\n");
  EXPECT_EQ(load_dataset(folder.path() / "lines").examples.size(), 2u) << "whatever they end with";
  try {
    load_dataset(folder.path() / "tables");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("2 files are of one split"), HasSubstr("train-a.csv")));
  }
}

}  // namespace
}  // namespace transformeter
