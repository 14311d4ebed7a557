// Files that are missing, foreign, damaged, newer, read-only or on a full disk: always an error that names the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "base/files.h"
#include "base/random.h"
#include "store/profile_store.h"
#include "store/sqlite_schema.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Error open_error(const std::filesystem::path& path, StoreMode mode) {
  return error_of([&] { open_store(path, mode); });
}

// A store with one run of two cases and one replicate, closed.
void make_store(const std::filesystem::path& path) {
  const auto store = open_store(path, StoreMode::kWrite);
  store->begin_run(run_of("r"));
  ReplicateRecord replicate = replicate_of(0);
  replicate.series = {awkward_series()};
  store->add_replicate("r", case_of(0), replicate);
}

TEST(OpenStore, DoesNotMakeAMissingFileForReading) {
  const TemporaryFolder folder;
  const Error error = open_error(folder / "a.db", StoreMode::kRead);
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("no store at '" + (folder / "a.db").string()), HasSubstr("`transformeter run --store")));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.db"));
}

TEST(OpenStore, NamesTheCommandThatMakesWhatIsToBeRead) {
  const TemporaryFolder folder;
  write_bytes(folder / "empty.db", "");
  for (const char* name : {"a.db", "empty.db"}) {
    const auto path = folder / name;
    EXPECT_THAT(error_of([&] { open_profile_store(path, StoreMode::kRead); }).what(),
                HasSubstr("`transformeter profile --store " + path.string()));
    EXPECT_THAT(error_of([&] { open_store(path, StoreMode::kRead, {}, "train"); }).what(),
                HasSubstr("`transformeter train --store " + path.string()));
  }
}

TEST(OpenStore, NamesAMissingFolderAndAFolderInPlaceOfAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(open_error(folder / "no/a.db", StoreMode::kWrite).what(), HasSubstr("create it first"));
  for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
    EXPECT_THAT(open_error(folder.path(), mode).what(),
                AllOf(HasSubstr("expected a file, but this is a folder"), HasSubstr("transformeter.db")));
  }
  EXPECT_THAT(open_error("/dev/null", StoreMode::kWrite).what(), HasSubstr("expected a regular file"));
}

TEST(OpenStore, WantsAName) {
  for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
    const Error error = error_of([&] { open_store("", mode); });
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("store '' is not valid; expected the path of a file"));
  }
}

TEST(OpenStore, TakesNamesThatSqliteWouldTakeForItsOwn) {
  const TemporaryFolder folder;
  for (const std::string name : {":memory:", "file:a?mode=memory", "a%20b#c?.db"}) {
    make_store(folder / name);
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    EXPECT_EQ(open_store(folder / name, StoreMode::kRead)->list_runs().size(), 1u) << name;
  }
}

TEST(OpenStore, RefusesViewsAndTriggersWhichMayNeverEnd) {
  const TemporaryFolder folder;
  for (const char* sql : {"ALTER TABLE run RENAME TO r; CREATE VIEW run AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
                          "SELECT x + 1 FROM c) SELECT x AS sequence, 'a' AS id, '' AS name, '' AS started_at, 1 AS "
                          "replicates_planned, '{}' AS host, '{}' AS settings FROM c",
                          "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM plan_case; END"}) {
    const std::filesystem::path path = folder / "a.db";
    std::filesystem::remove(path);
    make_store(path);
    Database(path, Database::Access::kReadWrite).execute(sql);
    for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
      EXPECT_THAT(open_error(path, mode).what(), AllOf(HasSubstr("a.db"), HasSubstr("changed by another program")));
    }
  }
}

TEST(OpenStore, RefusesWhatIsNoDatabase) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    write_bytes(folder / "a.db", std::string(size, 'x'));
    for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
      const Error error = open_error(folder / "a.db", mode);
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput) << size;
      EXPECT_THAT(error.what(), AllOf(HasSubstr("a.db"), HasSubstr("not a transformeter store"))) << size;
    }
    EXPECT_TRUE(read_file(folder / "a.db") == std::string(size, 'x')) << "left as it was: " << size;
  }
}

TEST(OpenStore, RefusesAnotherApplicationsFileAndLeavesIt) {
  const TemporaryFolder folder;
  Database(folder / "a.db", Database::Access::kReadWriteCreate).execute("CREATE TABLE mine (x); PRAGMA user_version=1");
  const std::string before = read_file(folder / "a.db");
  for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
    EXPECT_THAT(open_error(folder / "a.db", mode).what(),
                AllOf(HasSubstr("another application"), HasSubstr("--store")));
  }
  EXPECT_TRUE(read_file(folder / "a.db") == before) << "left as it was";
}

TEST(OpenStore, RefusesANewerSchema) {
  const TemporaryFolder folder;
  make_store(folder / "a.db");
  Database(folder / "a.db", Database::Access::kReadWrite).execute("PRAGMA user_version = 99");
  for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
    EXPECT_THAT(open_error(folder / "a.db", mode).what(),
                AllOf(HasSubstr("schema version 99"), HasSubstr("up to 6"), HasSubstr("newer transformeter")));
  }
}

TEST(OpenStore, TakesAnEmptyFileForANewStoreButNotForReading) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.db", "");
  EXPECT_THAT(open_error(folder / "a.db", StoreMode::kRead).what(), HasSubstr("is empty, not a store"));
  make_store(folder / "a.db");
  EXPECT_EQ(open_store(folder / "a.db", StoreMode::kRead)->list_runs().size(), 1u);
}

TEST(OpenStore, WritesNothingThroughAReadingStore) {
  const TemporaryFolder folder;
  make_store(folder / "a.db");
  const auto store = open_store(folder / "a.db", StoreMode::kRead);
  const Error error = error_of([&] { store->begin_run(run_of("another")); });
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_EQ(store->list_runs().size(), 1u);
}

TEST(OpenStore, ReadsFromAReadOnlyFolderAndRefusesToWriteThere) {
  const TemporaryFolder folder;
  make_store(folder / "a.db");
  std::filesystem::permissions(folder / "a.db", std::filesystem::perms{0444});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  const pid_t child = fork_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 2;  // root may write anywhere
    if (open_store(folder / "a.db", StoreMode::kRead)->load_run("r", true).cases.size() != 2) return 3;
    const Error error = error_of([&] { open_store(folder / "a.db", StoreMode::kWrite)->begin_run(run_of("x")); });
    if (error.kind() != ErrorKind::kEnvironment) return 4;
    return std::string(error.what()).find("make the file and its folder writable") != std::string::npos ? 0 : 5;
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST(OpenStore, DoesNotReadPastAJournalThatItCannotUse) {
  const TemporaryFolder folder;
  make_store(folder / "a.db");
  write_bytes(folder / "a.db-wal", "an unfinished log");
  std::filesystem::permissions(folder / "a.db-wal", std::filesystem::perms{0444});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  const pid_t child = fork_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 2;
    const Error error = error_of([&] { open_store(folder / "a.db", StoreMode::kRead)->list_runs(); });
    return error.kind() == ErrorKind::kEnvironment ? 0 : 3;
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST(OpenStore, SurvivesDamageAnywhere) {
  const TemporaryFolder folder;
  make_store(folder / "good.db");
  const std::string good = read_file(folder / "good.db");
  RandomStream random(1);
  const auto try_bytes = [&](const std::string& bytes) {
    for (const char* suffix : {"-wal", "-shm", "-journal"})
      std::filesystem::remove((folder / "a.db").string() + suffix);
    write_bytes(folder / "a.db", bytes);
    const Error error = error_of([&] {
      const auto store = open_store(folder / "a.db", StoreMode::kRead);
      store->list_runs();
      store->load_run("", true);
    });
    if (*error.what() == '\0') return;
    EXPECT_THAT(error.kind(), testing::AnyOf(ErrorKind::kBadInput, ErrorKind::kEnvironment)) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("a.db"));
  };
  for (int round = 0; round < 120; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 1 + round % 30; ++i) bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    try_bytes(bytes);
  }
  for (std::size_t size = 0; size < good.size(); size += 1024) try_bytes(good.substr(0, size));
}

TEST(OpenStore, ReportsDamagedValuesByName) {
  const TemporaryFolder folder;
  const auto damaged = [&](const char* sql) {
    std::filesystem::remove(folder / "a.db");
    make_store(folder / "a.db");
    Database(folder / "a.db", Database::Access::kReadWrite).execute(sql);
    const auto store = open_store(folder / "a.db", StoreMode::kRead);
    return std::string(error_of([&] { store->load_run("r", true); }).what());
  };
  EXPECT_THAT(damaged("UPDATE replicate SET status = 'fine'"), AllOf(HasSubstr("a.db"), HasSubstr("'fine'")));
  EXPECT_THAT(damaged("UPDATE series SET value = x'0102'"), AllOf(HasSubstr("a.db"), HasSubstr("'latency'")));
  EXPECT_THAT(damaged("UPDATE series SET examples = x'0102030405060708'"), HasSubstr("1 values, the series 8"));
  EXPECT_THAT(damaged("UPDATE plan_case SET requested = '{'"), AllOf(HasSubstr("a.db"), HasSubstr("'requested'")));
  EXPECT_THAT(damaged("UPDATE replicate SET ranks = 99999999999"), AllOf(HasSubstr("a.db"), HasSubstr("ranks")));
}

TEST(Database, SaysWhatToDoWhenTheFileIsFull) {
  const TemporaryFolder folder;
  Database database(folder / "a.db", Database::Access::kReadWriteCreate);
  database.execute("PRAGMA max_page_count = 10; CREATE TABLE t (x)");
  const Error error = error_of([&] { database.execute("INSERT INTO t VALUES (zeroblob(1000000))"); });
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("a.db"), HasSubstr("full"), HasSubstr("free some space")));
}

TEST(SqliteStore, KeepsWhatItAcknowledgedWhenTheDiskFills) {
  const TemporaryFolder folder;
  int acknowledged[2];
  ASSERT_EQ(::pipe(acknowledged), 0);
  const pid_t child = fork_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);  // so that a write beyond the limit fails, as on a full disk
    const rlimit limit{600'000, 600'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const auto store = open_store(folder / "a.db", StoreMode::kWrite);
    store->begin_run(run_of("r"));
    ReplicateRecord replicate = replicate_of(0);
    replicate.series = {awkward_series()};
    for (int i = 0; i < 9; ++i) replicate.series[0].append(Series(replicate.series[0]));  // 200 KiB
    for (; replicate.index < 100; ++replicate.index) {
      const Error error = error_of([&] {
        store->add_replicate("r", case_of(0), replicate);
        const char byte = 1;
        if (::write(acknowledged[1], &byte, 1) != 1) std::abort();
      });
      if (error.kind() == ErrorKind::kEnvironment) {
        return std::string(error.what()).find("a.db") != std::string::npos ? 0 : 3;
      }
    }
    return 4;
  });
  EXPECT_EQ(wait_for(child), 0);
  ::close(acknowledged[1]);
  std::size_t count = 0;
  for (char byte; ::read(acknowledged[0], &byte, 1) == 1;) ++count;
  ::close(acknowledged[0]);
  EXPECT_GE(count, 1u);

  const auto store = open_store(folder / "a.db", StoreMode::kWrite);
  EXPECT_EQ(store->load_run("r", true).cases[0].replicates.size(), count);
  EXPECT_TRUE(store->add_replicate("r", case_of(0), replicate_of(100))) << "with room again, it goes on";
}

}  // namespace
}  // namespace transformeter
