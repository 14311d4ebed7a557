// Data sets of the hub wherever --data goes, by the real command against a hub of our own.
#include <gmock/gmock.h>

#include "cli/hub_shell.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class HubData : public HubCommandTest {
 protected:
  HubData() {
    server_.add("datasets/org/reviews/README.md", "# Reviews");
    server_.add("datasets/org/reviews/train.csv", "text,label\nfine,positive\nso so,neutral\nbad,negative\n");
    server_.add("datasets/org/reviews/test.csv", "text,label\ngood,positive\npoor,negative\n");
  }

  void add_news() {
    if (!fs::exists(binary_directory() / "bin/libtransformeter_parquet.so")) {
      GTEST_SKIP() << "the library that reads Parquet was not built: scripts/setup --data";
    }
    const fs::path news = source_directory() / "tests/data/parquet/news";
    for (const char* name : {"data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet",
                             "data/test-00000-of-00001.parquet"}) {
      server_.add(std::string("datasets/org/news/") + name, read_file(news / name));
    }
  }

  const std::string tiny_ = (source_directory() / "tests/data/models/tiny-bert-classifier").string();
  const std::string pinned_ = "org/reviews@" + kServedCommit;
};

TEST_F(HubData, DescribesASplitAndFetchesNoMore) {
  const ShellResult result = hub("$T data org/reviews --split test --model " + tiny_ + " --format json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("data set 'org/reviews' is not a local file or folder"));
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["name"], pinned_);
  EXPECT_EQ(json["texts"], 2);
  EXPECT_THAT(server_.requests("train.csv"), IsEmpty());
  const std::size_t before = server_.requests().size();
  EXPECT_EQ(hub("$T data org/reviews --split test --model " + tiny_ + " --format json").output, result.output);
  EXPECT_EQ(hub("HF_HUB_OFFLINE=1 $T data org/reviews/test.csv --model " + tiny_).exit_code, 0);
  EXPECT_EQ(server_.requests().size(), before) << "cached";
}

TEST_F(HubData, RunPinsTheCommit) {
  const std::string run = "$T run --model " + tiny_ + " --data org/reviews --split train --sequence-length natural" +
                          " --batch-size 1 --precision fp32 --store r.db";
  const ShellResult result = hub(run);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord record = load();
  EXPECT_EQ(record.cases[0].requested["data"], pinned_);
  EXPECT_EQ(record.settings["data"]["values"], Json({pinned_}));
  EXPECT_THAT(result.output, Not(HasSubstr("settings_differ")));
  fs::remove_all(folder_.path() / "hf");
  const ShellResult resumed = hub("$T resume --store r.db");
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_THAT(resumed.errors, HasSubstr("transformeter fetch datasets/org/reviews --revision " + kServedCommit));
}

TEST_F(HubData, ErrorsAreBadInputAndSayWhatThereIs) {
  const auto fails = [&](const std::string& arguments) {
    const ShellResult result = hub("$T data " + arguments + " --model " + tiny_);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    return result.errors;
  };
  EXPECT_THAT(fails("org/none"),
              AllOf(HasSubstr("data 'org/none' is not a file or folder here"), HasSubstr("no such dataset")));
  EXPECT_THAT(fails("org/reviews"),
              HasSubstr("org/reviews: it has several splits; choose one with --split: test, train"));
  EXPECT_THAT(fails("org/reviews --split dev"), HasSubstr("allowed: test, train"));
  EXPECT_THAT(fails("org/reviews/more"), HasSubstr("no folder or file 'more'"));
  EXPECT_THAT(fails("org/reviews@v9"), HasSubstr("no such branch, tag or commit"));
  server_.add("datasets/org/code/data.py", "print(1)");
  EXPECT_THAT(fails("org/code"), HasSubstr("org/code: no data files among its 1 files"));
  EXPECT_THAT(hub("HF_HUB_OFFLINE=1 $T data org/reviews --split test").errors,
              AllOf(HasSubstr("HF_HUB_OFFLINE is set"),
                    HasSubstr("HF_HUB_OFFLINE=0 transformeter fetch datasets/org/reviews --revision main")));
}

TEST_F(HubData, AFolderOfThatNameComesFirst) {
  fs::create_directories(folder_.path() / "org/reviews");
  folder_.write("org/reviews/test.csv", "text,label\nhere,1\n");
  EXPECT_THAT(hub("$T data org/reviews --model " + tiny_).output, HasSubstr("reviews/test: 1 text"));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(HubData, FetchedWholeItIsThereOffline) {
  EXPECT_EQ(hub("$T fetch datasets/org/reviews").exit_code, 0);
  EXPECT_EQ(hub("HF_HUB_OFFLINE=1 $T data org/reviews --split train --model " + tiny_).exit_code, 0);
}

TEST_F(HubData, PredictAndScoreTakeTheSame) {
  use_real_worker();
  if (IsSkipped()) return;
  const ShellResult predicted = hub("$T predict --model " + tiny_ + " --data org/reviews --split test " +
                                    "--format predictions -o answers.txt && $T score --task sequence_classification " +
                                    "--data org/reviews --split test --predictions answers.txt --format json");
  EXPECT_EQ(predicted.exit_code, 0) << predicted.errors;
  const Json json = Json::parse(predicted.output);
  EXPECT_EQ(json["data"]["file"], pinned_);
  EXPECT_EQ(json["scores"][0]["n"], 2);
}

TEST_F(HubData, ParquetIsMeasuredWithItsClasses) {
  add_news();
  use_real_worker();
  if (IsSkipped()) return;
  const ShellResult described = hub("$T data org/news --split train --model " + tiny_ + " --format json");
  ASSERT_EQ(described.exit_code, 0) << described.errors;
  const Json json = Json::parse(described.output);
  EXPECT_EQ(json["texts"], 3);
  ASSERT_THAT(json["classes"], SizeIs(3));
  EXPECT_EQ(json["classes"][0]["name"], "World");
  const ShellResult measured =
      hub("$T run --peaks off --replicates 1 --warmup 1 --samples 4 --model bert-test --data org/news --split train "
          "--sequence-length natural --batch-size 1 --precision fp32 --store r.db");
  EXPECT_EQ(measured.exit_code, 0) << measured.errors;
  const RunRecord record = load();
  EXPECT_EQ(record.cases[0].requested["data"], "org/news@" + kServedCommit);
  EXPECT_EQ(record.cases[0].effective["data"]["name"], "org/news@" + kServedCommit);
  EXPECT_EQ(record.cases[0].effective["data"]["labels"], 3);
  EXPECT_EQ(record.cases[0].effective["workload"]["data"]["sha256"], json["sha256"]);
  EXPECT_THAT(measured.output, Not(HasSubstr("settings_differ")));
}

TEST_F(HubData, FineTunesOnOneSplitAndIsScoredOnAnother) {
  use_real_worker();
  if (IsSkipped()) return;
  const ShellResult trained =
      hub("$T finetune --model " + tiny_ + " --data org/reviews --split train " +
          "--evaluation-data org/reviews --evaluation-split test --epochs 1 --batch-size 1 " + "--output out");
  EXPECT_EQ(trained.exit_code, 0) << trained.errors;
  const Json settings = Json::parse(read_file(folder_.path() / "out/finetune.json"));
  EXPECT_EQ(settings["settings"]["data"], pinned_);
  EXPECT_EQ(settings["options"]["evaluation_data"], pinned_);
}

TEST_F(HubData, ADamagedFileIsNamed) {
  add_news();
  if (IsSkipped()) return;
  const fs::path file = folder_.path() / "cut.parquet";
  const std::string whole = read_file(source_directory() / "tests/data/parquet/types.parquet");
  folder_.write("cut.parquet", whole.substr(0, whole.size() / 2));
  const ShellResult result = hub("$T data cut.parquet --model " + tiny_);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("cut.parquet: cannot be read as Parquet"), HasSubstr("damaged")));
  const ShellResult missing = hub("TRANSFORMETER_PARQUET_PLUGIN=none.so $T data cut.parquet --model " + tiny_);
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.errors, AllOf(HasSubstr("pyarrow"), HasSubstr("scripts/setup --data")));
}

}  // namespace
}  // namespace transformeter
