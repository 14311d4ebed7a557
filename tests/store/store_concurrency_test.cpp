// Two runs into one file at once, and writers that are killed.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "store/sqlite.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

constexpr int kReplicates = 50;

void write_run(const std::filesystem::path& path, const std::string& id) {
  const auto store = open_store(path, StoreMode::kWrite);
  store->begin_run(run_of(id));
  for (int i = 0; i < kReplicates; ++i) {
    ReplicateRecord replicate = replicate_of(i);
    replicate.series = {awkward_series()};
    if (!store->add_replicate(id, case_of(0), replicate)) throw Error(ErrorKind::kInternal, "taken for a duplicate");
  }
}

void expect_complete(const std::filesystem::path& path, const std::vector<std::string>& ids) {
  const auto store = open_store(path, StoreMode::kRead);
  for (const std::string& id : ids) {
    const RunRecord run = store->load_run(id, true);
    ASSERT_EQ(run.cases[0].replicates.size(), static_cast<std::size_t>(kReplicates)) << id;
    for (const ReplicateRecord& replicate : run.cases[0].replicates) EXPECT_EQ(replicate.series.size(), 1u);
  }
  Database database(path, Database::Access::kReadWrite);
  EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(database.text("PRAGMA journal_mode"), "wal");
}

TEST(StoreConcurrency, TwoThreadsEachWriteTheirRun) {
  const TemporaryFolder folder;
  std::thread other([&] { write_run(folder / "a.db", "one"); });
  write_run(folder / "a.db", "two");
  other.join();
  expect_complete(folder / "a.db", {"one", "two"});
}

TEST(StoreConcurrency, TwoProcessesEachWriteTheirRunFromAMissingFileOn) {
  const TemporaryFolder folder;
  const auto writer = [&](const char* id) {
    return fork_child([&folder, id] {
      write_run(folder / "a.db", id);
      return 0;
    });
  };
  const pid_t one = writer("one");
  const pid_t two = writer("two");
  EXPECT_EQ(wait_for(one), 0);
  EXPECT_EQ(wait_for(two), 0);
  expect_complete(folder / "a.db", {"one", "two"});
}

TEST(StoreConcurrency, ManyProcessesMayMakeTheFileAtOnce) {
  const TemporaryFolder folder;
  for (int round = 0; round < 5; ++round) {
    const std::filesystem::path path = folder / ("a" + std::to_string(round));
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(fork_child([&path] {
        open_store(path, StoreMode::kWrite);
        return 0;
      }));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    EXPECT_TRUE(open_store(path, StoreMode::kRead)->list_runs().empty());
  }
}

TEST(StoreConcurrency, AReaderSeesFinishedReplicatesWhileARunWrites) {
  const TemporaryFolder folder;
  const auto writer = open_store(folder / "a.db", StoreMode::kWrite);
  writer->begin_run(run_of("r"));
  const auto reader = open_store(folder / "a.db", StoreMode::kRead);
  for (int i = 0; i < 3; ++i) {
    writer->add_replicate("r", case_of(0), replicate_of(i));
    EXPECT_EQ(reader->load_run("r", true).cases[0].replicates.size(), static_cast<std::size_t>(i) + 1);
  }
}

// Adds replicates from `begin` on for ever, writing each index to `acknowledged` once it is stored.
int write_for_ever(const std::filesystem::path& path, int begin, int acknowledged) {
  const auto store = open_store(path, StoreMode::kWrite);
  ReplicateRecord replicate = replicate_of(begin);
  replicate.series = {awkward_series()};
  for (int i = 0; i < 9; ++i) replicate.series[0].append(Series(replicate.series[0]));  // 200 KiB, many pages
  for (;; ++replicate.index) {
    store->add_replicate("r", case_of(0), replicate);
    if (::write(acknowledged, &replicate.index, sizeof replicate.index) != sizeof replicate.index) return 1;
  }
}

TEST(StoreConcurrency, KeepsEveryAcknowledgedReplicateOfAKilledWriter) {
  const TemporaryFolder folder;
  open_store(folder / "a.db", StoreMode::kWrite)->begin_run(run_of("r"));
  int next = 0;
  for (int round = 0; round < 8; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = fork_child([&] { return write_for_ever(folder / "a.db", next, pipe_ends[1]); });
    ::close(pipe_ends[1]);
    int index = next - 1;
    for (int i = 0; i < 2; ++i) ASSERT_EQ(::read(pipe_ends[0], &index, sizeof index), sizeof index);
    ::usleep(static_cast<useconds_t>(round) * 700);  // into the middle of a later transaction
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), 128 + SIGKILL);
    for (int more = 0; ::read(pipe_ends[0], &more, sizeof more) == sizeof more;) index = more;
    ::close(pipe_ends[0]);

    const std::size_t stored =
        open_store(folder / "a.db", StoreMode::kRead)->load_run("r", true).cases[0].replicates.size();
    EXPECT_GE(stored, static_cast<std::size_t>(index) + 1) << "round " << round;
    EXPECT_LE(stored, static_cast<std::size_t>(index) + 2) << "at most one was stored but not yet acknowledged";
    next = static_cast<int>(stored);
  }
  EXPECT_EQ(Database(folder / "a.db", Database::Access::kReadWrite).text("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace transformeter
