// Profiles come out as they went in, beside the runs, also where others are damaged or the disk is full.
#include "store/profile_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "store/sqlite.h"
#include "store/store_fixture.h"
#include "support/full_disk.h"
#include "support/made_profile.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ProfileRecord profile_record(const std::string& id, const std::string& case_id = "c01", const std::string& name = "") {
  ProfileRecord record;
  record.id = id;
  record.name = name;
  record.started_at = "2026-11-21T01:53:5" + id.substr(id.size() - 1) + ".000Z";
  record.host = {{"fingerprint", "here"}, {"cores", 2}};
  record.case_id = case_id;
  record.label = "distilbert-base b8 \"awkward\"";
  record.requested = {{"batch_size", 8}, {"model", "Ünïcode"}};
  record.effective = {{"threads", 2}, {"peaks", {{"gemm", {{"value", 1e11}}}}}};
  record.workload = {{"model", "by content"}};
  record.recorded.memory = true;
  record.profile = made_profile_with_memory();
  return record;
}

ProfileRecord failed_record(const std::string& id) {
  ProfileRecord record = profile_record(id);
  record.status = Status::kCrashed;
  record.reason = "the worker died by SIGSEGV";
  record.effective = Json::object();
  record.profile.reset();
  return record;
}

class ProfileStoreTest : public testing::Test {
 protected:
  std::unique_ptr<ProfileStore> open(StoreMode mode = StoreMode::kWrite) const {
    return open_profile_store(path_, mode);
  }
  std::vector<std::string> cases_of(std::string_view selector) const {
    std::vector<std::string> cases;
    for (const ProfileRecord& one : open(StoreMode::kRead)->load(selector)) {
      cases.push_back(one.id + " " + one.case_id);
    }
    return cases;
  }
  void damage(const std::string& sql) const { Database(path_, Database::Access::kReadWrite).execute(sql.c_str()); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.db";
};

TEST_F(ProfileStoreTest, GivesBackEveryField) {
  const ProfileRecord kept = profile_record("p1", "c01", "before");
  open()->keep(kept);
  const std::vector<ProfileRecord> all = open(StoreMode::kRead)->load("before");
  ASSERT_EQ(all.size(), 1u);
  const ProfileRecord& read = all.front();
  EXPECT_EQ(read.id + read.name + read.started_at + read.case_id + read.label + read.reason,
            kept.id + kept.name + kept.started_at + kept.case_id + kept.label);
  EXPECT_EQ((Json{read.host, read.requested, read.effective, read.workload}),
            (Json{kept.host, kept.requested, kept.effective, kept.workload}));
  EXPECT_EQ(read.recorded, kept.recorded);
  EXPECT_EQ(read.status, Status::kOk);
  EXPECT_EQ(read.profile, kept.profile);
}

TEST_F(ProfileStoreTest, ListsTheLatestFirstWithoutTheProfilesThemselves) {
  const auto store = open();
  for (const char* id : {"p1", "p3", "p2"}) store->keep(profile_record(id));
  store->keep(profile_record("p3", "c02"));
  const std::vector<ProfileRecord> all = store->list();
  std::vector<std::string> names;
  for (const ProfileRecord& one : all) {
    names.push_back(one.id + " " + one.case_id);
    EXPECT_FALSE(one.profile) << names.back();
  }
  EXPECT_THAT(names, ElementsAre("p3 c01", "p3 c02", "p2 c01", "p1 c01"));
  EXPECT_EQ(store->profile_of(all.back()), made_profile_with_memory());
}

TEST_F(ProfileStoreTest, IsAskedByIdNameBeginningAndForTheLatest) {
  {
    const auto store = open();
    store->keep(profile_record("20261121-1", "c01", "before"));
    store->keep(profile_record("20261122-2", "c01", "before"));
    store->keep(profile_record("20261122-2", "c02", "before"));
    store->keep(failed_record("20261123-3"));
  }
  EXPECT_THAT(cases_of("20261121-1"), ElementsAre("20261121-1 c01"));
  EXPECT_THAT(cases_of("before"), ElementsAre("20261122-2 c01", "20261122-2 c02"));
  EXPECT_THAT(cases_of("20261123"), ElementsAre("20261123-3 c01"));
  for (const char* latest : {"", "latest"}) {
    EXPECT_THAT(cases_of(latest), ElementsAre("20261122-2 c01", "20261122-2 c02")) << "the last that has a profile";
  }
  const auto said = [&](std::string_view selector) {
    return std::string(error_of([&] { open(StoreMode::kRead)->load(selector); }).what());
  };
  EXPECT_THAT(said("befor"), AllOf(HasSubstr("profile 'befor' is not in"), HasSubstr("Did you mean 'before'?")));
  EXPECT_THAT(said("2026"), AllOf(HasSubstr("profile '2026' is ambiguous"), HasSubstr("20261121-1 (before)")));
}

TEST_F(ProfileStoreTest, AStoreWithoutProfilesSaysHowToMakeOne) {
  open_store(path_, StoreMode::kWrite)->begin_run(run_of("r"));
  const Error error = error_of([&] { open(StoreMode::kRead)->load("latest"); });
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("contains no profiles"), HasSubstr("`transformeter profile --store")));
}

TEST_F(ProfileStoreTest, AStoreOfTheVersionBeforeIsReadAsItIs) {
  open_store(path_, StoreMode::kWrite)->begin_run(run_of("r"));
  damage("DROP TABLE profile; PRAGMA user_version = 5");
  EXPECT_TRUE(open(StoreMode::kRead)->list().empty());
  EXPECT_EQ(open(StoreMode::kRead)->profile_of(profile_record("p1")), std::nullopt);
  EXPECT_EQ(Database(path_, Database::Access::kReadWrite).integer("PRAGMA user_version"), 5);
  open()->keep(profile_record("p1"));
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".v5.backup"));
  EXPECT_THAT(cases_of("p1"), ElementsAre("p1 c01"));
  EXPECT_EQ(open_store(path_, StoreMode::kRead)->load_run("r", false).cases.size(), 2u) << "runs stay";
}

TEST_F(ProfileStoreTest, RefusesANewerSchema) {
  open()->keep(profile_record("p1"));
  damage("PRAGMA user_version = 99");
  for (const StoreMode mode : {StoreMode::kRead, StoreMode::kWrite}) {
    EXPECT_THAT(error_of([&] { open(mode); }).what(), HasSubstr("schema version 99"));
  }
}

TEST_F(ProfileStoreTest, KeepsACaseOnce) {
  const auto store = open();
  store->keep(profile_record("p1"));
  const Error error = error_of([&] { store->keep(failed_record("p1")); });
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(), HasSubstr("profile 'p1 c01'"));
  EXPECT_THAT(store->load("p1").front().reason, "");
}

TEST_F(ProfileStoreTest, NamesADamagedProfileAndReadsTheOthers) {
  {
    const auto store = open();
    for (const char* id : {"p1", "p2", "p3"}) store->keep(profile_record(id));
  }
  damage(
      "UPDATE profile SET document = '{\"nodes\": []}' WHERE id = 'p1'; "
      "UPDATE profile SET document = substr(document, 1, 100) WHERE id = 'p2'");
  EXPECT_EQ(open(StoreMode::kRead)->list().size(), 3u);
  for (const char* id : {"p1", "p2"}) {
    const Error error = error_of([&] { open(StoreMode::kRead)->load(id); });
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("a.db' is damaged: cannot read profile " + std::string(id) + " c01"));
  }
  EXPECT_EQ(open(StoreMode::kRead)->load("p3").front().profile, made_profile_with_memory());
  damage("UPDATE profile SET status = 'fine' WHERE id = 'p3'");
  EXPECT_THAT(error_of([&] { open(StoreMode::kRead)->list(); }).what(), HasSubstr("cannot read profile p3 c01"));
  open()->keep(profile_record("p4", "c01", "mine"));
  EXPECT_TRUE(open(StoreMode::kRead)->load("p4").front().profile) << "whatever the others' rows hold";
  EXPECT_TRUE(open(StoreMode::kRead)->has_name("mine"));
  EXPECT_FALSE(open(StoreMode::kRead)->has_name("another"));
}

TEST_F(ProfileStoreTest, AFullDiskLeavesNothingOfACase) {
  open()->keep(profile_record("p1"));
  const int code = with_largest_file(std::filesystem::file_size(path_), [&] {
    ProfileRecord large = profile_record("p2");
    for (int i = 0; i < 2000; ++i) add_node(*large.profile, 0, ProfileNodeKind::kOperator, "aten::mm", {}, 0, 0);
    const Error error = error_of([&] { open()->keep(large); });
    const bool is_told =
        std::string_view(error.what()).find("every profile stored so far is kept") != std::string::npos;
    return error.kind() == ErrorKind::kEnvironment && is_told ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_THAT(cases_of("latest"), ElementsAre("p1 c01"));
  open()->keep(profile_record("p2"));
  EXPECT_THAT(cases_of("latest"), ElementsAre("p2 c01")) << "once there is room again";
}

// The journal of a killed writer is rolled back by the next who opens the store.
TEST_F(ProfileStoreTest, AKilledCommandLeavesWholeCases) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = fork_child([&] {
    const auto store = open();
    for (int i = 0; i < 100'000; ++i) {
      store->keep(profile_record("p1", "c" + std::to_string(i)));
      if (::write(ends[1], "k", 1) != 1) return 1;
    }
    return 0;
  });
  ::close(ends[1]);
  int told = 0;
  for (char kept = 0; told < 3 && ::read(ends[0], &kept, 1) == 1;) ++told;
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), 128 + SIGKILL);
  ::close(ends[0]);
  ASSERT_EQ(told, 3);
  const std::vector<ProfileRecord> kept = open(StoreMode::kRead)->load("p1");
  EXPECT_GE(kept.size(), 3U);
  for (const ProfileRecord& one : kept) EXPECT_EQ(one.profile, made_profile_with_memory());
}

}  // namespace
}  // namespace transformeter
