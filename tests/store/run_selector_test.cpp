// Ids, names, beginnings of ids, and what a user is told when none fits.
#include "store/run_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/network_file_system.h"
#include "store/store_fixture.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<RunLabel> kRuns{{"20261123-0000-aa", "nightly"},
                                  {"20261122-0000-bb", "nightly"},
                                  {"20261121-0000-cc", "20261122"},
                                  {"20261120-0000-dd", ""}};

TEST(SelectRun, TakesTheLatestByDefaultAndOfAName) {
  EXPECT_EQ(select_run(kRuns, "", "a.db"), 0u);
  EXPECT_EQ(select_run(kRuns, "nightly", "a.db"), 0u);
}

TEST(SelectRun, TakesTrialsOnlyWhereTheyAreNamed) {
  std::vector<RunLabel> runs = kRuns;
  runs.insert(runs.begin(), {"20261124-0000-ee", "", RunRole::kTrial});
  EXPECT_EQ(select_run(runs, "", "a.db"), 1u);
  EXPECT_EQ(select_run(runs, "20261124", "a.db"), 0u);
  runs.resize(1);
  EXPECT_EQ(select_run(runs, "", "a.db"), 0u) << "there are no others";
}

TEST(SelectRun, PrefersAnExactNameToTheBeginningOfAnId) {
  EXPECT_EQ(select_run(kRuns, "20261122-0000-bb", "a.db"), 1u);
  EXPECT_EQ(select_run(kRuns, "20261122", "a.db"), 2u);
  EXPECT_EQ(select_run(kRuns, "20261120", "a.db"), 3u);
}

TEST(SelectRun, NamesTheCandidatesOfAnAmbiguousBeginning) {
  EXPECT_THAT(error_of([] { select_run(kRuns, "2026112", "a.db"); }).what(),
              AllOf(HasSubstr("'2026112' is ambiguous: 4 ids in 'a.db'"), HasSubstr("20261120-0000-dd")));
}

TEST(SelectRun, SuggestsANearName) {
  const Error error = error_of([] { select_run(kRuns, "nigthly", "a.db"); });
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("run 'nigthly' is not in 'a.db'"), HasSubstr("Did you mean 'nightly'?")));
  EXPECT_THAT(error_of([] { select_run(kRuns, "something else", "a.db"); }).what(), Not(HasSubstr("Did you mean")));
}

TEST(SelectRun, SaysWhenThereIsNoRun) {
  EXPECT_THAT(error_of([] { select_run({}, "", "a.db"); }).what(),
              HasSubstr("'a.db' contains no runs; create one with `transformeter run --store a.db`"));
}

TEST(NetworkFileSystem, KnowsTheUsualOnes) {
  EXPECT_EQ(network_file_system_kind(0x6969), "NFS");
  EXPECT_EQ(network_file_system_kind(0xFF534D42), "CIFS");
  EXPECT_EQ(network_file_system_kind(0xEF53), std::nullopt) << "ext4";
  EXPECT_EQ(network_file_system("/proc"), std::nullopt);
  EXPECT_EQ(network_file_system("/no/such/folder"), std::nullopt);
}

}  // namespace
}  // namespace transformeter
