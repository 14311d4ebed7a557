// Which names are data sets of the hub, and where their files are.
#include "run/data_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace fs = std::filesystem;

const std::string kCommit(40, 'a');

TEST(DataReference, IsARepositoryOrAPlaceInOne) {
  const auto whole = parse_data_reference("org/name");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->repository.type, RepositoryType::kDataset);
  EXPECT_EQ(whole->repository.name, "org/name");
  EXPECT_EQ(whole->path, "");
  EXPECT_EQ(whole->revision, "main");
  const auto folder = parse_data_reference("datasets/org/name/sst2/@refs/convert/parquet");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->path, "sst2");
  EXPECT_EQ(folder->revision, "refs/convert/parquet");
  EXPECT_EQ(folder->pinned(kCommit), "org/name/sst2@" + kCommit);
  EXPECT_EQ(parse_data_reference("org/name/data/train.csv")->path, "data/train.csv");
}

TEST(DataReference, PathsOfThisMachineAreNone) {
  for (const char* path : {"", "bundled", "synthetic", "file.csv", "/abs/path", "../org/name", "./org/name",
                           "data/train.csv", "data/train.jsonl.gz", "org name/x"}) {
    EXPECT_FALSE(parse_data_reference(path)) << path;
  }
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  fs::create_directories("org");
  EXPECT_FALSE(parse_data_reference("org/name")) << "a slip in a path is no data set of the hub";
  EXPECT_TRUE(parse_data_reference("org/name@" + kCommit)) << "made here by an output, after the name was pinned";
  fs::current_path(before);
  EXPECT_THROW(parse_data_reference("org/name/../../x"), Error);
  EXPECT_THROW(parse_data_reference("org/name@"), Error);
}

TEST(DataReference, ChoosesAmongTheRepositorysFiles) {
  const std::vector<std::string> paths{"README.md", "cola/test.csv", "sst2/test.csv", "sst2/train.csv"};
  const DataParts parts = choose_parts(*parse_data_reference("org/glue/sst2"), paths, "train");
  EXPECT_THAT(parts.files, ElementsAre("sst2/train.csv"));
  EXPECT_EQ(parts.split, "train");
  EXPECT_THAT(choose_parts(*parse_data_reference("org/glue/cola/test.csv"), paths, "").files,
              ElementsAre("cola/test.csv"));
  for (const auto& [name, fault] : {std::pair("org/glue", "e.g. org/glue/cola: cola, sst2"),
                                    {"org/glue/qqp", "no folder or file 'qqp' at revision main"},
                                    {"org/glue/sst2", "--split: test, train"}}) {
    try {
      choose_parts(*parse_data_reference(name), paths, "");
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr(fault));
    }
  }
}

class CachedData : public testing::Test {
 protected:
  void put(const std::string& path) const {
    const fs::path file = cache_.snapshot(repository_, kCommit) / path;
    fs::create_directories(file.parent_path());
    folder_.write(fs::relative(file, folder_.path()).string(), "x");
  }

  TemporaryFolder folder_;
  HubCache cache_{folder_.path() / "hub"};
  Repository repository_{RepositoryType::kDataset, "org/name"};
  DataReference main_ = *parse_data_reference("org/name");
  DataReference pinned_ = *parse_data_reference("org/name@" + kCommit);
};

TEST_F(CachedData, IsWholeByTheListing) {
  cache_.store_listing(repository_, kCommit,
                       {{"data/train-00000-of-00002.parquet", 1, std::string(64, '1')},
                        {"data/train-00001-of-00002.parquet", 1, std::string(64, '2')},
                        {"test.csv", 1, std::string(40, '3')}});
  const auto listing = cache_.listing(repository_, kCommit);
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->at(1).hash, std::string(64, '2'));
  EXPECT_EQ(listing->at(2).path, "test.csv");
  EXPECT_FALSE(cached_data(cache_, main_, "train", false)) << "main is not known";
  put("data/train-00000-of-00002.parquet");
  EXPECT_FALSE(cached_data(cache_, pinned_, "train", true)) << "one of two shards";
  put("data/train-00001-of-00002.parquet");
  const auto found = cached_data(cache_, pinned_, "", false);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->split, "train") << "Parquet comes first, and has one split";
  EXPECT_EQ(found->commit, kCommit);
  EXPECT_THAT(found->path, EndsWith(kCommit));
  cache_.store_ref(repository_, "main", kCommit);
  EXPECT_TRUE(cached_data(cache_, main_, "train", false));
}

TEST_F(CachedData, WithoutAListingTheSnapshotServesWhereNobodyCanBeAsked) {
  put("train.csv");
  EXPECT_FALSE(cached_data(cache_, pinned_, "", false));
  const auto found = cached_data(cache_, pinned_, "", true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->split, "train");
}

TEST_F(CachedData, LocatesPinnedNamesOrSaysHowToGetThem) {
  ::setenv("HF_HUB_CACHE", cache_.root().c_str(), 1);
  EXPECT_EQ(locate_data("bundled", "").path, "bundled");
  EXPECT_EQ(locate_data("file.csv", "val").split, "val");
  put("train.csv");
  EXPECT_EQ(locate_data("org/name@" + kCommit, "").split, "train");
  EXPECT_THAT(locate_data("org/name/train.csv@" + kCommit, "").path, EndsWith("/train.csv"));
  try {
    locate_data("org/other@" + kCommit, "");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("not complete in the cache"),
                                    HasSubstr("transformeter fetch datasets/org/other --revision " + kCommit)));
  }
  ::unsetenv("HF_HUB_CACHE");
}

}  // namespace
}  // namespace transformeter
