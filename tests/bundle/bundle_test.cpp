// A bundle round trip, and every way in which one may have been changed.
#include "bundle/bundle.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json_file.h"
#include "bundle/verify_bundle.h"
#include "bundle/write_bundle.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput) << error.what();
    return error.what();
  }
  return "no error";
}

RunRecord planned_run() {
  RunRecord run = mixed_run();
  run.settings["model"] = {{"values", {"distilbert-base"}}, {"origin", "default"}};
  run.settings["store"] = {{"values", {"there.db"}}, {"origin", "flag"}};
  run.settings["worker"] = {{"values", {"there/worker"}}, {"origin", "flag"}};
  run.host["worker"]["sha256"] = std::string(64, 'a');
  run.cases[0].requested["seed"] = 7;
  run.cases[0].effective["workload"] = {{"model", {{"preset", "distilbert-base"}}}, {"data", {{"sha256", "d"}}}};
  return run;
}

class BundleTest : public testing::Test {
 protected:
  void SetUp() override {
    store_->begin_run(planned_run());
    write_bundle(*store_, clock_, bundle(), {});
  }

  fs::path bundle() const { return folder_.path() / "bundle"; }
  std::string file(const char* name) const { return read_file(bundle() / name); }
  void write(const char* name, std::string_view text) const { write_file_atomically(bundle() / name, text); }
  std::vector<std::string> faults() const { return verify_bundle(bundle()).faults; }
  Json manifest() const { return Json::parse(file(kManifestFile)); }
  void write_manifest(const Json& json) const { write_json_file(bundle() / kManifestFile, json); }

  // As one who changes a file and knows about the manifest.
  void change(const char* name, const std::string& text) const {
    write(name, text);
    Json json = manifest();
    for (Json& listed : json["files"]) {
      if (listed["name"] != name) continue;
      listed["size_bytes"] = text.size();
      listed["sha256"] = sha256_hex(text);
    }
    write_manifest(json);
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::unique_ptr<Store> store_ = open_store(folder_.path() / "a.db", StoreMode::kWrite);
};

TEST_F(BundleTest, HoldsTheRunAndIsAsItWasWritten) {
  const BundleCheck check = verify_bundle(bundle());
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.manifest_sha256, sha256_file(bundle() / kManifestFile));
  EXPECT_EQ(check.manifest.created_at, format_utc(clock_.wall_s()));
  const Json run = check.manifest.run;
  EXPECT_EQ(run.at("id"), planned_run().id);
  EXPECT_EQ(run.at("seeds"), Json::array({7}));
  EXPECT_EQ(run.at("inputs").at("worker").at("sha256"), std::string(64, 'a'));
  EXPECT_EQ(run.at("inputs").at("models").at(0).at("identity").at("preset"), "distilbert-base");
  EXPECT_EQ(run.at("cases").size(), 5U);
  EXPECT_EQ(Json::parse(file(kEnvironmentFile)), planned_run().host);
  EXPECT_EQ(Json::parse(file(kSettingsFile)).at(0).at("effective").at("threads"), 2);
  const std::unique_ptr<Store> other = open_store(folder_.path() / "b.db", StoreMode::kWrite);
  EXPECT_EQ(bundled_run(bundle()).cases.size(), 5U);
}

TEST_F(BundleTest, ItsPlanIsOneOfTheRunWithoutStoreAndWorker) {
  Plan plan;
  plan.apply_file(bundle() / kPlanFile);
  EXPECT_EQ(plan.at("batch_size").values, (std::vector<Json>{1, 8}));
  EXPECT_EQ(plan.value("model"), "distilbert-base");
  EXPECT_EQ(plan.at("store").origin, "default");
  EXPECT_FALSE(plan.has("worker"));
}

TEST_F(BundleTest, AByteAFileAndANewFileAreFound) {
  std::string text = file(kResultsFile);
  text[text.size() / 2] ^= 1;
  write(kResultsFile, text);
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("results.jsonl has SHA-256")));
  text.resize(text.size() / 2);
  write(kResultsFile, text);
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("results.jsonl has " + std::to_string(text.size()) + " bytes, not")));
  fs::remove(bundle() / kResultsFile);
  write("notes.txt", "mine");
  EXPECT_THAT(faults(), ElementsAre("results.jsonl is missing", "notes.txt was added"));
}

TEST_F(BundleTest, ALinkInPlaceOfAFileIsFound) {
  fs::rename(bundle() / kPlanFile, folder_ / "plan.yaml");
  fs::create_symlink(folder_ / "plan.yaml", bundle() / kPlanFile);
  EXPECT_THAT(faults(), ElementsAre("plan.yaml is not a regular file"));
}

TEST_F(BundleTest, WhatWasChangedTogetherWithTheManifestDoesNotFitTheResults) {
  change(kEnvironmentFile, R"({"cpu": {"model": "a faster one"}})");
  EXPECT_THAT(faults(), ElementsAre("environment.json is not the environment in results.jsonl"));
  change(kEnvironmentFile, planned_run().host.dump());
  EXPECT_THAT(faults(), IsEmpty()) << "the same in other letters";
  change(kSettingsFile, "[]");
  EXPECT_THAT(faults(), ElementsAre("settings.json are not the settings in results.jsonl"));
}

TEST_F(BundleTest, AnotherPlanOrManifestDoesNotFitTheResults) {
  change(kPlanFile, "model: distilbert-base\nbatch_size: [1, 16]\nprecision: [fp32, bf16, fp16]\n");
  EXPECT_THAT(faults(), ElementsAre("plan.yaml has another batch_size than the plan in results.jsonl"));
  change(kPlanFile, "model: distilbert-base\nbatch_size: [1, 8]\nprecision: [fp32, bf16, fp16]\nthreads: 4\n");
  EXPECT_THAT(faults(), ElementsAre("plan.yaml has another threads than the plan in results.jsonl"));
  change(kPlanFile, "model: distilbert-base\nbatch_size: [1, 8]\nprecision: [fp32, bf16, fp16]\n");
  EXPECT_THAT(faults(), IsEmpty());
  Json json = manifest();
  json["run"]["seeds"] = {8};
  write_manifest(json);
  EXPECT_THAT(faults(), ElementsAre("manifest.json and results.jsonl differ in the run's seeds"));
}

TEST_F(BundleTest, ResultsThatEndEarlyAreFoundWhateverTheManifestSays) {
  const std::string text = file(kResultsFile);
  change(kResultsFile, text.substr(0, text.rfind("{\"end\"")));
  ASSERT_EQ(faults().size(), 1U);
  EXPECT_THAT(faults().front(), HasSubstr("results.jsonl:"));
  change(kResultsFile, text + text);
  ASSERT_EQ(faults().size(), 1U);
  EXPECT_THAT(faults().front(), HasSubstr("results.jsonl"));
}

TEST_F(BundleTest, FilesThatTheManifestDoesNotListOrListsTwiceAreFound) {
  Json json = manifest();
  json["files"].push_back(json["files"][0]);
  write_manifest(json);
  EXPECT_THAT(faults(), ElementsAre("manifest.json lists plan.yaml 2 times, not once",
                                    "manifest.json lists files that no bundle has"));
  json["files"].erase(4);
  json["files"][3]["name"] = "../../etc/passwd";
  write_manifest(json);
  EXPECT_THAT(faults(), ElementsAre("manifest.json lists results.jsonl 0 times, not once"));
}

TEST_F(BundleTest, WhatIsNoBundleOrANewerOneIsRefused) {
  const auto refused = [&] { return error_of([&] { verify_bundle(bundle()); }); };
  EXPECT_THAT(error_of([&] { verify_bundle(folder_ / "nowhere"); }), HasSubstr("there is no such folder"));
  EXPECT_THAT(error_of([&] { verify_bundle(folder_ / "a.db"); }), HasSubstr("it is not a folder"));
  EXPECT_THAT(error_of([&] { verify_bundle(folder_.path()); }), HasSubstr("it has no manifest.json"));
  Json json = manifest();
  json["schema_version"] = kBundleSchemaVersion + 1;
  json["something"] = "new";
  write_manifest(json);
  EXPECT_THAT(refused(), AllOf(HasSubstr("schema version 2"), HasSubstr("Use a newer transformeter")));
  json["schema_version"] = "one";
  write_manifest(json);
  EXPECT_THAT(refused(), HasSubstr("schema_version"));
  json["schema_version"] = kBundleSchemaVersion;
  json["files"] = 3;
  write_manifest(json);
  EXPECT_THAT(refused(), HasSubstr("manifest.json is damaged"));
  json["format"] = "another";
  write_manifest(json);
  EXPECT_THAT(refused(), HasSubstr("of another format"));
  write(kManifestFile, "{\"format\": \"transformeter-bun");
  EXPECT_THAT(refused(), HasSubstr("manifest.json"));
  write(kManifestFile, std::string(100, '\0'));
  EXPECT_THAT(refused(), HasSubstr("manifest.json"));
}

TEST_F(BundleTest, IsReplacedOnRequestAndOnlyWhereItIsOne) {
  const auto again = [&](bool replaces) {
    return error_of([&] { write_bundle(*store_, clock_, bundle(), {"", replaces}); });
  };
  const std::string old = file(kManifestFile);
  EXPECT_THAT(again(false), HasSubstr("--force replaces a bundle"));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(again(true), "no error");
  EXPECT_NE(file(kManifestFile), old);
  write("notes.txt", "mine");
  EXPECT_THAT(again(true), HasSubstr("it holds other files: notes.txt"));
  EXPECT_EQ(file("notes.txt"), "mine");
}

TEST_F(BundleTest, AStopLeavesNothing) {
  const fs::path other = folder_ / "other";
  int calls = 0;
  const auto stop = [&] {
    if (++calls == 3) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  };
  EXPECT_THROW(write_bundle(*store_, clock_, other, {"", false, stop}), Error);
  EXPECT_EQ(calls, 3);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::Each(testing::Not(HasSubstr("other"))));
}

TEST_F(BundleTest, TrialsAndLiveComparisonsAreNoBundles) {
  RunRecord trials = planned_run();
  trials.id = "20261121-015354-aaaaaa";
  trials.role = RunRole::kTrial;
  EXPECT_THAT(error_of([&] { replayed_plan(trials); }), HasSubstr("trials"));
  RunRecord live = planned_run();
  for (CaseRecord& one : live.cases) one.requested["arm"] = "before";
  EXPECT_THAT(error_of([&] { replayed_plan(live); }), HasSubstr("compare --live"));
}

TEST_F(BundleTest, SaysWhatOfItsInputsIsHere) {
  const fs::path worker = folder_.write("worker", "#!/bin/sh\n");
  fs::permissions(worker, fs::perms::owner_all);
  RunRecord run = planned_run();
  run.id = "20261121-015355-bbbbbb";
  run.host["worker"] = {{"sha256", sha256_file(worker)}, {"program", "worker"}};
  store_->begin_run(run);
  write_bundle(*store_, clock_, folder_ / "b", {run.id});
  const Context context{clock_, [](LogLevel, std::string_view) {}, folder_.path(), folder_.path(), folder_.path()};
  const RunRecord recorded = verified_run(folder_ / "b");
  const std::vector<BundleInput> inputs = find_inputs(context, recorded, worker.string());
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs[0].answer, InputAnswer::kSame);
  EXPECT_EQ(inputs[1].answer, InputAnswer::kDifferent) << "the preset has a configuration, the record none";
  EXPECT_THAT(inputs[1].reason, HasSubstr("config"));
  EXPECT_EQ(inputs[2].answer, InputAnswer::kNotHere) << "no bundled texts in this folder";
  folder_.write("worker", "#!/bin/sh\n# another build\n");
  EXPECT_EQ(find_inputs(context, recorded, worker.string()).at(0).answer, InputAnswer::kDifferent);
  fs::remove(worker);
  EXPECT_EQ(find_inputs(context, recorded, worker.string()).at(0).answer, InputAnswer::kNotHere);
}

}  // namespace
}  // namespace transformeter
