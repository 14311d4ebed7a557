// Which files of a folder are a data set.
#include "datasets/data_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string refusal_of(const std::vector<std::string>& paths, const std::string& split = "") {
  try {
    choose_data_files("org/name", paths, split);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "no error";
}

TEST(DataLayout, ImagesAndSoundsAreForOtherTasks) {
  EXPECT_THAT(refusal_of({"a/1.JPG", "a/2.wav"}), HasSubstr("Images are for tasks that read them"));
  EXPECT_THAT(refusal_of({"a/2.wav", "testing_list.txt", "validation_list.txt"}),
              HasSubstr("Sounds are for tasks that read them, such as speech_recognition"));
}

TEST(DataLayout, ShardsOfASplitAreSorted) {
  const std::vector<std::string> paths{"README.md", "data/train-00001-of-00002.parquet",
                                       "data/test-00000-of-00001-a4ed2a1c.parquet",
                                       "data/train-00000-of-00002.parquet"};
  const DataParts train = choose_data_files("org/name", paths, "train");
  EXPECT_EQ(train.split, "train");
  EXPECT_THAT(train.files, ElementsAre("data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"));
  EXPECT_THAT(choose_data_files("org/name", paths, "test").files, ElementsAre(paths[2]));
}

TEST(DataLayout, SplitsAreFoldersOrWordsOfNames) {
  EXPECT_THAT(choose_data_files("d", {"train/0000.parquet", "validation/0000.parquet"}, "validation").files,
              ElementsAre("validation/0000.parquet"));
  EXPECT_THAT(choose_data_files("d", {"my-Train_v2.csv", "my-dev_v2.csv"}, "validation").files,
              ElementsAre("my-dev_v2.csv"));
  EXPECT_EQ(choose_data_files("d", {"latest.csv"}, "").split, "latest") << "letters alone are no word";
  EXPECT_EQ(choose_data_files("d", {"data.jsonl.gz"}, "").split, "data");
  EXPECT_EQ(choose_data_files("d", {"unsupervised-00000-of-00001.parquet"}, "").split, "unsupervised");
  EXPECT_EQ(choose_data_files("d", {"train-0-of-00001.parquet"}, "").split, "train") << "no shard's name, but a word";
}

TEST(DataLayout, ParquetIsPreferredAndFilesThatOnlyDescribeAreNoData) {
  const DataParts parts = choose_data_files("d", {"train.csv", "dataset_infos.json", "train.parquet"}, "");
  EXPECT_THAT(parts.files, ElementsAre("train.parquet"));
  EXPECT_THAT(refusal_of({"README.md", "dataset_infos.json"}),
              AllOf(HasSubstr("org/name: no data files among its 2 files"), HasSubstr(".parquet, .jsonl, .csv")));
  EXPECT_THAT(refusal_of({"cat/1.jpg", "dog/1.png"}), HasSubstr("tasks that read them, such as image_classification"));
}

TEST(DataLayout, ATextBesideDataSetsIsNone) {
  const std::vector<std::string> paths{"citation.txt", "en/train.parquet", "fr/train.parquet", ".vscode/a.parquet"};
  EXPECT_THAT(refusal_of(paths), HasSubstr("several data sets; choose one, e.g. org/name/en: en, fr"));
  EXPECT_THAT(choose_data_files("d", {"LICENSE.txt", "train.txt"}, "").files, ElementsAre("train.txt"));
}

TEST(DataLayout, EndingsAreKnownWhateverTheirCapitals) {
  for (const char* name : {"Train.CSV", "a.jsonl.GZ", "b.conll", "c.parquet"})
    EXPECT_TRUE(has_data_ending(name)) << name;
  for (const char* name : {"name", "name.bin", "name.gz", ".csv.d"}) EXPECT_FALSE(has_data_ending(name)) << name;
  EXPECT_THAT(choose_data_files("d", {"train.conll", "test.conll"}, "test").files, ElementsAre("test.conll"));
}

TEST(DataLayout, SplitsAreAskedForByTheirOtherNamesToo) {
  const std::vector<std::string> paths{"train.csv", "dev.csv", "evaluation.csv"};
  EXPECT_EQ(choose_data_files("d", paths, "dev").split, "validation");
  EXPECT_THAT(choose_data_files("d", paths, "val").files, ElementsAre("dev.csv"));
  EXPECT_THAT(choose_data_files("d", paths, "test").files, ElementsAre("evaluation.csv"));
}

TEST(DataLayout, OneOfSeveralDataSetsIsChosenByItsFolder) {
  const std::vector<std::string> paths{"cola/train-00000-of-00001.parquet", "sst2/train-00000-of-00001.parquet"};
  EXPECT_THAT(refusal_of(paths), HasSubstr("several data sets; choose one, e.g. org/name/cola: cola, sst2"));
  EXPECT_THAT(choose_data_files("d", {"plain_text/test.parquet"}, "").files, ElementsAre("plain_text/test.parquet"));
  EXPECT_THAT(choose_data_files("d", {"more/test.csv", "test.csv"}, "").files, ElementsAre("test.csv"));
  EXPECT_THAT(choose_data_files("d", {"other/test.csv", "default/test.csv"}, "").files,
              ElementsAre("default/test.csv"));
}

TEST(DataLayout, NamesTheSplitsThereAre) {
  const std::vector<std::string> paths{"train.csv", "test.csv"};
  EXPECT_THAT(refusal_of(paths), HasSubstr("several splits; choose one with --split: test, train"));
  EXPECT_THAT(refusal_of(paths, "tran"),
              AllOf(HasSubstr("org/name: split 'tran'"), HasSubstr("allowed: test, train"), HasSubstr("'train'?")));
}

TEST(DataLayout, FilesBelowAFolderWithoutHiddenOnes) {
  const TemporaryFolder folder;
  for (const char* path : {"a/b", ".cache/x"}) std::filesystem::create_directories(folder.path() / path);
  for (const char* path : {"a/b/c.parquet", ".cache/x/y.csv", "z.csv", ".hidden.csv"}) folder.write(path, "x");
  EXPECT_THAT(files_below(folder.path()), testing::UnorderedElementsAre("a/b/c.parquet", "z.csv"));
  EXPECT_TRUE(holds_data_files(folder.path()));
  std::filesystem::create_directories(folder.path() / "images/cat");
  folder.write("images/cat/1.jpg", "x");
  EXPECT_FALSE(holds_data_files(folder.path() / "images"));
  EXPECT_THROW(files_below(folder.path() / "none"), Error);
}

}  // namespace
}  // namespace transformeter
