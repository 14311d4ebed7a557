// Which profiles of a store are of a run's cases: the same machine, settings and contents, the latest of each.
#include "analysis/case_profiles.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"
#include "support/made_profile.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Json kContents = {{"model", "weights by content"}, {"data", "texts by content"}};

CaseRecord case_with_key(int position, Json requested) {
  CaseRecord one = measured_case(position, std::move(requested), {0.1});
  one.plan_key = plan_key(one.requested, kContents);
  return one;
}

class CaseProfiles : public testing::Test {
 protected:
  CaseProfiles() {
    run_ =
        run_of("r", {case_with_key(0, requested_of(8, 128, "fp32")), case_with_key(1, requested_of(1, 128, "fp32"))});
    run_.host["fingerprint"] = "here";
    run_.host["worker"] = {{"version", "1.0"}, {"libtorch", "2.15.0"}};
  }

  ProfileRecord record(const std::string& id, const Json& requested) const {
    ProfileRecord one;
    one.id = id;
    one.started_at = "2026-11-21T01:53:5" + id.substr(id.size() - 1) + ".000Z";
    one.case_id = "c01";
    one.host = run_.host;
    one.requested = requested;
    one.workload = kContents;
    one.profile = made_profile();
    return one;
  }

  std::vector<std::string> found(const std::vector<ProfileRecord>& records) const {
    const AnalyzedRun run = analyze_run(run_);
    std::vector<std::string> ids;
    for (const CaseProfile& one : profiles_of_cases(run, records)) ids.push_back(one.record.id);
    return ids;
  }

  std::vector<std::string> found_after(const std::function<void(ProfileRecord&)>& change) const {
    ProfileRecord one = record("p1", requested_of(8, 128, "fp32"));
    change(one);
    return found({one});
  }

  RunRecord run_;
};

TEST_F(CaseProfiles, AreOfTheSameSettingsContentsAndMachine) {
  const auto keep = [](ProfileRecord&) {};
  EXPECT_THAT(found_after(keep), ElementsAre("p1"));
  const Json changes = {{"batch_size", 16}, {"precision", "bf16"}, {"engine", "fast"}};
  for (const auto& change : changes.items()) {
    const auto make = [&](ProfileRecord& one) { one.requested[change.key()] = change.value(); };
    EXPECT_THAT(found_after(make), IsEmpty()) << change.key();
  }
  EXPECT_THAT(found_after([](ProfileRecord& one) { one.workload["data"] = "other texts"; }), IsEmpty());
  EXPECT_THAT(found_after([](ProfileRecord& one) { one.host["fingerprint"] = "elsewhere"; }), IsEmpty());
  EXPECT_THAT(found_after([](ProfileRecord& one) { one.status = Status::kFailed; }), IsEmpty());
  run_.host.erase("fingerprint");
  EXPECT_THAT(found_after([](ProfileRecord& one) { one.host.erase("fingerprint"); }), IsEmpty())
      << "two machines that are not known need not be one";
}

TEST_F(CaseProfiles, DoNotDependOnHowLongTheCaseIsMeasured) {
  run_.cases[0] = case_with_key(0, requested_of(8, 128, "fp32"));
  run_.cases[0].requested.update({{"samples", 5}, {"warmup", 3}, {"arm", "a"}});
  run_.cases[0].plan_key = plan_key(run_.cases[0].requested, kContents);
  run_.cases[1] = run_.cases[0];
  run_.cases[1].requested["arm"] = "b";
  run_.cases[1].plan_key = plan_key(run_.cases[1].requested, kContents);
  EXPECT_THAT(found({record("p1", requested_of(8, 128, "fp32"))}), ElementsAre("p1")) << "one, though both are alike";
}

TEST_F(CaseProfiles, AreTheLatestOfEachCaseInReadingOrder) {
  const Json large = requested_of(8, 128, "fp32");
  const Json small = requested_of(1, 128, "fp32");
  EXPECT_THAT(found({record("p4", large), record("p3", small), record("p2", large)}), ElementsAre("p3", "p4"));
}

TEST_F(CaseProfiles, SayWhatRanOtherwiseThanInTheCase) {
  run_.cases[0].effective.update({{"threads", 2}, {"instruction_set", "AVX2"}});
  run_.cases[0].requested["samples"] = 5;
  run_.cases[0].plan_key = plan_key(run_.cases[0].requested, kContents);
  const AnalyzedRun run = analyze_run(run_);
  ProfileRecord one = record("p1", requested_of(8, 128, "fp32"));
  one.effective = run_.cases[0].effective;
  const auto differences = [&] {
    const CaseProfile found = profiles_of_cases(run, {one}).at(0);
    std::vector<std::string> texts;
    for (const Difference& difference : found.differences) texts.push_back(difference.text());
    return texts;
  };
  EXPECT_THAT(differences(), IsEmpty()) << "not how many samples there are";
  one.effective["instruction_set"] = "AVX512";
  one.host["worker"]["version"] = "1.1";
  EXPECT_THAT(differences(), ElementsAre("instruction_set AVX2 → AVX512", "worker's version 1.0 → 1.1"));
}

TEST_F(CaseProfiles, AreOfTheWorkerThatMeasuredTheCase) {
  run_.cases[0].launch = {{"worker", "/other/worker"}, {"worker_build", {{"version", "1.1"}, {"libtorch", "2.15.0"}}}};
  const AnalyzedRun run = analyze_run(run_);
  ProfileRecord one = record("p1", requested_of(8, 128, "fp32"));
  EXPECT_EQ(profiles_of_cases(run, {one}).at(0).differences.size(), 1U);
  one.host["worker"]["version"] = "1.1";
  EXPECT_THAT(profiles_of_cases(run, {one}).at(0).differences, IsEmpty());
}

TEST_F(CaseProfiles, AreNotOfAnotherGpu) {
  run_.cases[0].effective["device_facts"]["name"] = "one card";
  const auto on = [&](const char* name) {
    return found_after([&](ProfileRecord& one) { one.effective["device_facts"]["name"] = name; });
  };
  EXPECT_THAT(on("one card"), ElementsAre("p1"));
  EXPECT_THAT(on("another card"), IsEmpty());
}

class CountingProfileStore final : public ProfileStore {
 public:
  explicit CountingProfileStore(std::vector<ProfileRecord> records) : records_(std::move(records)) {}
  void keep(const ProfileRecord&) override {}
  bool has_name(std::string_view) override { return false; }
  std::vector<ProfileRecord> list() override {
    std::vector<ProfileRecord> all = records_;
    for (ProfileRecord& one : all) one.profile.reset();
    if (damaged == "all") throw Error(ErrorKind::kBadInput, "cannot read profile p3");
    return all;
  }
  std::optional<Profile> profile_of(const ProfileRecord& record) override {
    ++read;
    if (record.id == damaged) throw Error(ErrorKind::kBadInput, "cannot read profile " + record.id);
    if (record.id == unreadable) throw Error(ErrorKind::kEnvironment, "the disk fails");
    return made_profile();
  }
  std::vector<ProfileRecord> load(std::string_view) override { return {}; }

  int read = 0;
  std::string damaged, unreadable;

 private:
  std::vector<ProfileRecord> records_;
};

TEST_F(CaseProfiles, AreReadForAFewCasesAndCountedForTheOthers) {
  run_.cases.clear();
  std::vector<ProfileRecord> records;
  for (int i = 0; i < 6; ++i) {
    run_.cases.push_back(case_with_key(i, requested_of(1 + i, 128, "fp32")));
    records.push_back(record("p" + std::to_string(i), requested_of(1 + i, 128, "fp32")));
  }
  const AnalyzedRun run = analyze_run(run_);
  CountingProfileStore store(records);
  store.damaged = "p1";
  std::string said;
  const Log log = [&](LogLevel, std::string_view line) { said.append(line); };
  const RunProfiles profiles = load_run_profiles(store, listed_profiles(store, log), run, log);
  ASSERT_EQ(profiles.shown.size(), 4U);
  EXPECT_EQ(profiles.shown[1].record.id, "p2");
  EXPECT_EQ(profiles.shown[0].record.profile, made_profile());
  EXPECT_EQ(profiles.left_out, 1U);
  EXPECT_EQ(store.read, 5) << "those that are left out are not";
  EXPECT_EQ(said, "a profile is left out: cannot read profile p1");
  store.unreadable = "p0";
  EXPECT_THROW(load_run_profiles(store, store.list(), run, {}), Error);
}

TEST_F(CaseProfiles, OfADamagedListAreNoneWithAWarning) {
  CountingProfileStore store({record("p1", requested_of(8, 128, "fp32"))});
  std::string said;
  const Log log = [&](LogLevel, std::string_view line) { said.append(line); };
  EXPECT_EQ(listed_profiles(store, log).size(), 1U);
  store.damaged = "all";
  EXPECT_THAT(listed_profiles(store, log), IsEmpty());
  EXPECT_EQ(said, "no profile is shown: cannot read profile p3");
}

}  // namespace
}  // namespace transformeter
