// `fetch` and models of the hub in `run` and `tokenize`, by the real command against a hub of our own.
#include <gmock/gmock.h>

#include "base/hash.h"
#include "base/text.h"
#include "cli/hub_shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FetchCommand : public HubCommandTest {
 protected:
  FetchCommand() {
    const fs::path model = source_directory() / "tests/data/models/tiny-bert-classifier";
    for (const char* name : {"config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"}) {
      server_.add(std::string("models/org/tiny/") + name, read_file(model / name));
    }
  }

  fs::path snapshot() const { return folder_.path() / "hf/hub/models--org--tiny/snapshots" / kServedCommit; }

  // Of a million letters w.
  static std::string incomplete() {
    return "hf/hub/models--org--tiny/blobs/" + sha256_hex(std::string(1'000'000, 'w')) + ".incomplete";
  }
};

const std::string kShort = " --batch-size 1 --sequence-length 16 --precision fp32 --store r.db";

TEST_F(FetchCommand, SaysWhatItFetchedAndWhere) {
  const ShellResult result = hub("$T fetch org/tiny");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("model.safetensors"), HasSubstr("fetched"), HasSubstr(snapshot().string())));
  EXPECT_EQ(result.errors, "") << "no progress line where there is no terminal";
  const Json json = Json::parse(hub("$T fetch org/tiny --format json --revision v1").output);
  EXPECT_EQ(json["commit"], kServedCommit);
  EXPECT_EQ(json["folder"], snapshot().string());
  EXPECT_EQ(json["files"].size(), 4u);
  EXPECT_EQ(json["files"][0]["was_cached"], true);
}

TEST_F(FetchCommand, ErrorsAreBadInput) {
  EXPECT_EQ(hub("$T fetch org/none").exit_code, 3);
  EXPECT_EQ(hub("$T fetch ../x").exit_code, 3);
  EXPECT_THAT(hub("$T fetch org/tiny --repo-type space").errors, HasSubstr("allowed: model, dataset"));
  EXPECT_THAT(hub("HF_ENDPOINT=nonsense $T fetch org/tiny").errors, HasSubstr("HF_ENDPOINT 'nonsense'"));
  EXPECT_THAT(hub("HF_HUB_OFFLINE=1 $T fetch org/tiny").errors, HasSubstr("HF_HUB_OFFLINE is set"));
}

TEST_F(FetchCommand, TwoAtOnceDownloadOnce) {
  server_.order({{"/cdn/*", {{"pause", 0.3}, {"times", -1}}}});
  const ShellResult result = hub("$T fetch org/tiny >1.txt & $T fetch org/tiny >2.txt; wait $!");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(server_.requests("/cdn/"), SizeIs(1)) << "the second waited for the first";
}

TEST_F(FetchCommand, GoesOnAfterKill9) {
  server_.add("models/org/tiny/model.safetensors", std::string(1'000'000, 'w'));
  server_.order({{"/cdn/*", {{"pause", 0.1}}}});
  const ShellResult killed =
      hub("$T fetch org/tiny & pid=$!\n"
          "until test -s " +
          incomplete() +
          " || ! kill -0 $pid; do sleep 0.01; done\n"
          "kill -9 $pid; wait $pid");
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_FALSE(fs::exists(snapshot() / "model.safetensors"));
  EXPECT_EQ(hub("$T fetch org/tiny").exit_code, 0);
  EXPECT_EQ(read_file(snapshot() / "model.safetensors"), std::string(1'000'000, 'w'));
  EXPECT_THAT(server_.requests("/cdn/").back()["range"].dump(), HasSubstr("bytes="));
}

TEST_F(FetchCommand, CtrlCLeavesWhatCameAndEndsWith130) {
  server_.add("models/org/tiny/model.safetensors", std::string(1'000'000, 'w'));
  server_.order({{"/cdn/*", {{"pause", 0.1}}}});
  const ShellResult stopped =
      hub("$T fetch org/tiny & pid=$!\n"
          "until test -s " +
          incomplete() +
          " || ! kill -0 $pid; do sleep 0.01; done\n"
          "kill -TERM $pid; wait $pid");
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.errors, HasSubstr("stopped by the user"));
  EXPECT_TRUE(fs::exists(folder_.path() / incomplete()));
}

TEST_F(FetchCommand, AFullDiskIsSaidAndWhatCameIsKept) {
  server_.add("models/org/tiny/model.safetensors", std::string(1'000'000, 'w'));
  // A limit on file sizes stands for the disk: the write fails in the same place.
  const ShellResult full = hub("trap '' XFSZ; ulimit -f 200; $T fetch org/tiny");
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_THAT(full.errors,
              AllOf(HasSubstr(".incomplete': File too large"), HasSubstr("Fetch again to resume the download")));
  EXPECT_EQ(hub("$T fetch org/tiny").exit_code, 0);
  EXPECT_EQ(server_.requests("/cdn/").back()["range"], "bytes=204800-") << "200 blocks of 1,024 bytes were kept";
}

TEST_F(FetchCommand, RunFetchesAndMeasuresACertainCommit) {
  const ShellResult first = hub("$T run --model org/tiny" + kShort);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.errors,
              AllOf(HasSubstr("model 'org/tiny' is not a local folder and not complete in the cache; fetching"),
                    HasSubstr("tiny@0123456")));
  const RunRecord run = load();
  EXPECT_EQ(run.cases[0].requested["model"], "org/tiny@" + kServedCommit);
  EXPECT_EQ(run.settings["model"]["values"], Json({"org/tiny@" + kServedCommit}));
  const Json& identity = run.cases[0].effective["workload"]["model"];
  EXPECT_EQ(identity["commit"], kServedCommit);
  EXPECT_EQ(identity["repository"], "org/tiny");
  EXPECT_EQ(identity["sha256"]["weights"], sha256_file(snapshot() / "model.safetensors"));
  EXPECT_THAT(first.output, Not(HasSubstr("settings_differ"))) << "the worker's folder is the same model";
}

TEST_F(FetchCommand, RunAsksNobodyForWhatIsCached) {
  hub("$T fetch org/tiny");
  const std::size_t before = server_.requests().size();
  EXPECT_EQ(hub("$T run --model org/tiny" + kShort).exit_code, 0);
  EXPECT_EQ(hub("HF_HUB_OFFLINE=1 $T run --model org/tiny@main" + kShort).exit_code, 0);
  EXPECT_EQ(server_.requests().size(), before);
}

TEST_F(FetchCommand, CommitIsPartOfTheWorkload) {
  hub("$T run --model org/tiny" + kShort);
  const std::string of_hub = load().cases[0].workload_key;
  const std::string other(40, 'a');
  fs::copy(snapshot(), snapshot().parent_path() / other, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  hub("$T run --model org/tiny@" + other + kShort);
  const std::string of_other = load().cases[0].workload_key;
  hub("$T run --model " + snapshot().string() + kShort);
  const std::string of_folder = load().cases[0].workload_key;
  EXPECT_NE(of_hub, of_other);
  EXPECT_NE(of_hub, of_folder);
  hub("$T run --model org/tiny" + kShort);
  EXPECT_EQ(load().cases[0].workload_key, of_hub);
}

TEST_F(FetchCommand, ResumeSaysHowToGetAModelThatLeftTheCache) {
  hub("$T run --model org/tiny" + kShort);
  fs::remove_all(folder_.path() / "hf");
  const ShellResult resumed = hub("$T resume --store r.db");
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_THAT(resumed.errors, HasSubstr("transformeter fetch org/tiny --revision " + kServedCommit));
}

TEST_F(FetchCommand, TokenizeFetchesTheTokenizerAlone) {
  const ShellResult result = hub("$T tokenize --model org/tiny --format json 'a'");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(server_.requests("model.safetensors"), IsEmpty());
  EXPECT_EQ(hub("HF_HUB_OFFLINE=1 $T tokenize --model org/tiny --format json 'a'").output, result.output);
  EXPECT_THAT(hub("HF_HUB_OFFLINE=1 $T run --model org/tiny" + kShort).errors,
              AllOf(HasSubstr("not complete in the cache"), HasSubstr("transformeter fetch org/tiny --revision main")));
}

TEST_F(FetchCommand, AFolderOfThatNameComesFirst) {
  fs::create_directories(folder_.path() / "org");
  fs::copy(source_directory() / "tests/data/models/tiny-bert-classifier", folder_.path() / "org/tiny");
  EXPECT_EQ(hub("$T run --model org/tiny" + kShort).exit_code, 0);
  EXPECT_THAT(server_.requests(), IsEmpty());
  EXPECT_EQ(load().cases[0].requested["model"], "org/tiny");
}

}  // namespace
}  // namespace transformeter
