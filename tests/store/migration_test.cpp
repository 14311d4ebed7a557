// Stores that the first version made, read as they are and brought up to date for writing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "base/files.h"
#include "store/peak_store.h"
#include "store/sqlite.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// As version 1 was released, word for word, with one run of one case and one replicate of two samples.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE run (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  started_at TEXT NOT NULL,
  replicates_planned INTEGER NOT NULL,
  host TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT;
CREATE TABLE plan_case (
  sequence INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (sequence) ON DELETE CASCADE,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  plan_key TEXT NOT NULL,
  key TEXT NOT NULL,
  workload_key TEXT NOT NULL,
  requested TEXT NOT NULL,
  effective TEXT NOT NULL,
  launch TEXT NOT NULL,
  status TEXT,
  status_reason TEXT NOT NULL,
  UNIQUE (run, id)
) STRICT;
CREATE INDEX plan_case_in_order ON plan_case (run, position);
CREATE INDEX plan_case_by_key ON plan_case (key);
CREATE TABLE replicate (
  sequence INTEGER PRIMARY KEY,
  plan_case INTEGER NOT NULL REFERENCES plan_case (sequence) ON DELETE CASCADE,
  replicate_index INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL,
  UNIQUE (plan_case, replicate_index)
) STRICT;
CREATE TABLE series (
  sequence INTEGER PRIMARY KEY,
  replicate INTEGER NOT NULL REFERENCES replicate (sequence) ON DELETE CASCADE,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  rank INTEGER NOT NULL,
  value BLOB,
  start_s BLOB,
  batch_index BLOB,
  examples BLOB,
  useful_tokens BLOB,
  processed_tokens BLOB,
  flags BLOB
) STRICT;
CREATE INDEX series_by_replicate ON series (replicate);
PRAGMA application_id = 1414354002; PRAGMA user_version = 1;
INSERT INTO run VALUES (1, 'old', 'nightly', '2026-11-21T01:53:54.000Z', 1, '{"cores":2}', '{}');
INSERT INTO plan_case VALUES (1, 1, 'c01', 0, 'plan', 'key', 'work', '{"batch_size":8}', '{}', '{}', 'ok', '');
INSERT INTO replicate VALUES (1, 1, 0, '2026-11-21T01:53:55.000Z', 1, 'ok', '');
INSERT INTO series VALUES (1, 1, 'latency', 's', 0, x'000000000000F03F0000000000000040', NULL, NULL, NULL, NULL, NULL,
  NULL);
)sql";

class Migration : public testing::Test {
 protected:
  void SetUp() override {
    Database database(path_, Database::Access::kReadWriteCreate);
    database.execute("PRAGMA journal_mode = WAL");
    database.execute(kVersion1);
  }

  static std::int64_t version_of(const std::filesystem::path& path) {
    return Database(path, Database::Access::kReadWrite).integer("PRAGMA user_version");
  }
  static void expect_old_run(const std::filesystem::path& path) {
    const RunRecord run = open_store(path, StoreMode::kRead)->load_run("nightly", true);
    EXPECT_EQ(run.role, RunRole::kResult) << "it had none";
    ASSERT_EQ(run.cases.size(), 1u);
    ASSERT_EQ(run.cases[0].replicates.size(), 1u);
    EXPECT_EQ(run.cases[0].replicates[0].series.at(0).value, (std::vector<double>{1, 2}));
    EXPECT_FALSE(run.cases[0].summary);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.db";
  std::filesystem::path copy_ = folder_ / "a.db.v1.backup";
};

TEST_F(Migration, ReadsAnOldStoreAsItIs) {
  expect_old_run(path_);
  EXPECT_EQ(version_of(path_), 1);
  EXPECT_FALSE(std::filesystem::exists(copy_));
}

TEST_F(Migration, WritingBringsItUpToDateAndKeepsACopy) {
  std::string said;
  open_store(path_, StoreMode::kWrite, [&](LogLevel, std::string_view line) { said.append(line); });
  EXPECT_THAT(said, AllOf(HasSubstr("from schema version 1 to 6"), HasSubstr("a.db.v1.backup")));
  EXPECT_EQ(version_of(path_), 6);
  EXPECT_EQ(version_of(copy_), 1);
  expect_old_run(path_);
  expect_old_run(copy_);
  said.clear();
  open_store(path_, StoreMode::kWrite, [&](LogLevel, std::string_view line) { said.append(line); });
  EXPECT_EQ(said, "");
  EXPECT_EQ(Database(path_, Database::Access::kReadWrite).text("PRAGMA integrity_check"), "ok");
}

// Version 2 as released: version 1 and summaries.
TEST_F(Migration, BringsTheVersionBeforeUpToDateToo) {
  Database(path_, Database::Access::kReadWrite)
      .execute(
          "CREATE TABLE summary (plan_case INTEGER PRIMARY KEY REFERENCES plan_case (sequence) ON DELETE CASCADE, "
          "version INTEGER NOT NULL, document TEXT NOT NULL) STRICT; PRAGMA user_version = 2");
  EXPECT_TRUE(open_peak_store(path_)->list().empty());
  EXPECT_EQ(version_of(path_), 6);
  EXPECT_EQ(version_of(folder_ / "a.db.v2.backup"), 2);
  expect_old_run(path_);
}

TEST_F(Migration, NeverOverwritesAnEarlierCopy) {
  std::ofstream(copy_) << "precious";
  open_store(path_, StoreMode::kWrite);
  EXPECT_EQ(read_file(copy_), "precious");
  expect_old_run(copy_.string() + ".2");
}

TEST_F(Migration, TheCopyIsNoMoreReadableThanTheStore) {
  std::filesystem::permissions(folder_ / "a.db", std::filesystem::perms{0600});
  open_store(folder_ / "a.db", StoreMode::kWrite);
  EXPECT_EQ(std::filesystem::status(copy_).permissions(), std::filesystem::perms{0600});
}

TEST_F(Migration, CopiesWhatIsStillInTheWriteAheadLog) {
  Database writer(path_, Database::Access::kReadWrite);
  writer.execute("UPDATE run SET name = 'changed'");  // not moved into the file while this connection lives
  open_store(path_, StoreMode::kWrite);
  EXPECT_EQ(Database(copy_, Database::Access::kReadWrite).text("SELECT name FROM run"), "changed");
}

TEST_F(Migration, ManyProgramsAtOnceMakeOneCopy) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork_child([this] {
      open_store(path_, StoreMode::kWrite);
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  expect_old_run(path_);
  EXPECT_TRUE(std::filesystem::exists(copy_));
  EXPECT_FALSE(std::filesystem::exists(copy_.string() + ".2"));
}

TEST_F(Migration, WithoutRoomForTheCopyTheStoreStaysAsItWas) {
  const pid_t child = fork_child([this] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{40960, 40960};  // more than the write-ahead log's index, less than the copy
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Error error = error_of([&] { open_store(path_, StoreMode::kWrite); });
    const bool names_the_copy = std::string_view(error.what()).find(".v1.backup") != std::string_view::npos;
    return error.kind() == ErrorKind::kEnvironment && names_the_copy ? 0 : 1;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(version_of(path_), 1);
  expect_old_run(path_);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("partial")));
  }
}

TEST_F(Migration, AddsReplicatesToAnOldRun) {
  const auto store = open_store(path_, StoreMode::kWrite);
  CaseRecord one;
  one.id = "c01";
  EXPECT_TRUE(store->add_replicate("old", one, replicate_of(1)));
  EXPECT_EQ(store->load_run("old", true).cases[0].replicates.size(), 2u);
}

}  // namespace
}  // namespace transformeter
