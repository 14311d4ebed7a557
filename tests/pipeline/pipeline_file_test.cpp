// Pipeline files: what they say of each step, what they leave to defaults, and what is refused with its line.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "pipeline/pipeline.h"
#include "plots/pictures.h"
#include "run/find_plan.h"
#include "run/plan.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class PipelineFile : public ::testing::Test {
 protected:
  Pipeline read(const std::string& text, const std::vector<PipelineOverride>& overrides = {}) const {
    return read_pipeline(folder_.write("my-pipeline.yaml", text), overrides);
  }

  std::string problem(const std::string& text) const {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "was read: " << text;
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(PipelineFile, APlanIsAPipelineOfOneRun) {
  const Pipeline pipeline = read("model: bert-test\nbatch_size: [1, 8]\nprecision: [fp32, bf16]\n");
  EXPECT_EQ(pipeline.name, "my-pipeline");
  ASSERT_THAT(pipeline.runs, SizeIs(1));
  EXPECT_EQ(pipeline.runs[0].name, "my-pipeline");
  EXPECT_EQ(pipeline.runs[0].plan_text, "model: [bert-test]\nbatch_size: [1, 8]\nprecision: [fp32, bf16]\n");
  EXPECT_EQ(pipeline.profile_text, "model: [bert-test]\nbatch_size: [1]\nprecision: [fp32]\n");
  EXPECT_THAT(pipeline.pictures, SizeIs(picture_types().size()));
  EXPECT_TRUE(std::none_of(pipeline.pictures.begin(), pipeline.pictures.end(),
                           [](const PipelinePicture& one) { return one.is_wanted; }));
  EXPECT_THAT(pipeline.reports, ElementsAre("report.html", "cases.csv"));
  ASSERT_THAT(pipeline.data, SizeIs(1));
  EXPECT_THAT(pipeline.data[0].arguments, ElementsAre("bundled", "--model", "bert-test"));
}

TEST_F(PipelineFile, RunsHaveTheCommonSettingsAndTheirOwn) {
  const Pipeline pipeline = read(
      "name: nightly\nmodel: bert-test\nbatch_size: [1, 8]\nmeasure:\n  inference:\n  training:\n    scenario: train\n"
      "    batch_size: 4\n");
  EXPECT_EQ(pipeline.name, "nightly");
  ASSERT_THAT(pipeline.runs, SizeIs(2));
  EXPECT_EQ(pipeline.runs[0].name, "inference");
  EXPECT_EQ(pipeline.runs[0].plan_text, "model: [bert-test]\nbatch_size: [1, 8]\n");
  EXPECT_EQ(pipeline.runs[1].plan_text, "model: [bert-test]\nscenario: [train]\nbatch_size: [4]\n");
}

TEST_F(PipelineFile, TheTextOfARunIsAPlanFileThatReadsTheSame) {
  const Pipeline pipeline = read(
      "model: ['my \"model\", {a}: [b] # c']\ntext_column: '- ö: x'\nlearning_rate: [5e-5, 0.1]\ntime_limit: 3m\n"
      "baseline: {attention: eager}\nattention: [eager, sdpa]\nscenario: train\nstrict: true\n");
  Plan plan;
  plan.apply_file(folder_.write("run.yaml", pipeline.runs[0].plan_text));
  EXPECT_EQ(plan.value("model"), "my \"model\", {a}: [b] # c");
  EXPECT_EQ(plan.value("text_column"), "- ö: x");
  EXPECT_EQ(plan.at("learning_rate").values, (std::vector<Json>{5e-5, 0.1}));
  EXPECT_EQ(plan.value("time_limit"), 180);
  EXPECT_EQ(plan.value("baseline"), (Json{{"attention", "eager"}}));
  EXPECT_EQ(plan.value("strict"), true);
}

TEST_F(PipelineFile, ARunOfDefaultsAloneIsAPlanToo) {
  const Pipeline pipeline = read("pictures: none\n");
  EXPECT_EQ(pipeline.runs.at(0).plan_text, "model: [distilbert-base]\n");
  EXPECT_EQ(pipeline.profile_text, "model: [distilbert-base]\n");
}

TEST_F(PipelineFile, StepsCanBeChosenOrLeftOut) {
  const Pipeline pipeline = read(
      "model: bert-test\nprofile: {batch_size: 16, engine: fast}\npictures:\n  - six-panel\n"
      "  - {y: 'latency:p99', x: batch_size, by: [precision, model], log: xy, file: tail.pdf}\n"
      "report: [html, slides.pptx, cases.csv, md]\n");
  EXPECT_EQ(pipeline.profile_text, "model: [bert-test]\nbatch_size: [16]\nengine: [fast]\n");
  ASSERT_THAT(pipeline.pictures, SizeIs(2));
  EXPECT_EQ(pipeline.pictures[0].file, "my-pipeline-six-panel.svg");
  EXPECT_TRUE(pipeline.pictures[0].is_wanted);
  EXPECT_EQ(pipeline.pictures[1].file, "tail.pdf");
  EXPECT_THAT(pipeline.pictures[1].arguments,
              ElementsAre("--y", "latency:p99", "--x", "batch_size", "--by", "precision,model", "--log", "xy"));
  EXPECT_THAT(pipeline.reports, ElementsAre("report.html", "slides.pptx", "cases.csv", "report.md"));
  const Pipeline bare = read("model: bert-test\nprofile: none\npictures: none\nreport: none\n");
  EXPECT_EQ(bare.profile_text, "");
  EXPECT_THAT(bare.pictures, IsEmpty());
  EXPECT_THAT(bare.reports, IsEmpty());
}

TEST_F(PipelineFile, APictureOfSeveralRunsIsOfEachUnlessItNamesThem) {
  const std::string runs = "measure: {a: {batch_size: 1}, b: {batch_size: 2}}\n";
  const Pipeline each = read(runs + "pictures: [six-panel, {y: latency}]\n");
  ASSERT_THAT(each.pictures, SizeIs(4));
  EXPECT_FALSE(each.pictures[0].is_wanted);
  EXPECT_EQ(each.pictures[1].file, "b-six-panel.svg");
  const Pipeline both = read(runs + "pictures: {y: latency, x: run, runs: [a, b]}\n");
  ASSERT_THAT(both.pictures, SizeIs(1));
  EXPECT_THAT(both.pictures[0].runs, ElementsAre("a", "b"));
  EXPECT_TRUE(both.pictures[0].is_wanted);
}

TEST_F(PipelineFile, AProfileMayRecordMemoryAndCountItsPasses) {
  const Pipeline pipeline = read("model: bert-test\nprofile: {record: [work, memory], passes: 3, batch_size: 4}\n");
  EXPECT_EQ(pipeline.profile_text, "model: [bert-test]\nbatch_size: [4]\n");
  EXPECT_THAT(pipeline.profile_arguments, ElementsAre("--record", "work,memory", "--passes", "3"));
  EXPECT_TRUE(pipeline.profiles_memory);
  const Pipeline none = read("model: bert-test\nprofile: {record: none}\n");
  EXPECT_THAT(none.profile_arguments, ElementsAre("--record", "none"));
  EXPECT_FALSE(none.profiles_memory);
  EXPECT_EQ(none.profile_text, "model: [bert-test]\n");
  EXPECT_THAT(problem("seed: 1\nprofile:\n  record: time\n"), AllOf(HasSubstr(":3: "), HasSubstr("memory")));
  EXPECT_THAT(problem("seed: 1\nprofile: {passes: 0}\n"), HasSubstr("passes"));
  EXPECT_THAT(problem("seed: 1\nprofile: {record: [none, work]}\n"), HasSubstr("'none' goes with nothing else"));
}

TEST_F(PipelineFile, OverridesStandAboveTheFile) {
  const Pipeline pipeline = read("batch_size: [1, 8]\nmeasure: {a: {batch_size: 2}}\nprofile: {batch_size: 4}\n",
                                 {{"batch_size", "16,32"}, {"device", "cuda"}});
  EXPECT_THAT(pipeline.runs[0].plan_text, AllOf(HasSubstr("batch_size: [16, 32]"), HasSubstr("device: [\"cuda:0\"]")));
  EXPECT_THAT(pipeline.profile_text, HasSubstr("batch_size: [16, 32]"));
  for (const PipelineOverride& bad : {PipelineOverride{"store", "a.db"}, PipelineOverride{"batch_size", "none"},
                                      PipelineOverride{"optimizer", "sgd"}}) {
    try {
      read("model: bert-test\n", {bad});
      ADD_FAILURE() << bad.setting;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("--set " + bad.setting)) << "no line of the file is blamed";
    }
  }
}

TEST_F(PipelineFile, KeysOfStepsAreNoSettings) {
  const auto told = [&](const PipelineOverride& override) -> std::string {
    try {
      read("model: bert-test\n", {override});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      told({"record", "memory"}),
      "--set record=memory: 'record' is a key of the profile, not a setting: write it under 'profile' in the file");
  EXPECT_THAT(told({"passes", "3"}), HasSubstr("write it under 'profile'"));
  EXPECT_EQ(told({"report", "html"}), "--set report=html: 'report' is a step, not a setting: change it in the file");
  EXPECT_THAT(problem("model: bert-test\nrecord: memory\n"), AllOf(HasSubstr(":2: "), HasSubstr("under 'profile'")));
}

TEST_F(PipelineFile, ProfilesTheFirstForwardPassesElseTheFirstRun) {
  EXPECT_THAT(read("measure: {t: {scenario: train}, i: {batch_size: 2}}\n").profile_text,
              AllOf(HasSubstr("batch_size: [2]"), Not(HasSubstr("scenario"))));
  EXPECT_THAT(read("scenario: train\noptimizers: [sgd, adam]\n").profile_text,
              AllOf(HasSubstr("scenario: [train]"), HasSubstr("optimizer: [sgd]")));
  EXPECT_THAT(read("scenario: train\ndevice: cuda\n").profile_text, "");
  EXPECT_EQ(read("scenario: generate\nmodel: gpt2\n").profile_text, "model: [gpt2]\nscenario: [generate]\n");
}

TEST_F(PipelineFile, ACommonSettingThatARunHasNoUseForIsOfTheOthers) {
  const Pipeline pipeline =
      read("batch_size: 2\nmeasure: {t: {scenario: train}, g: {scenario: generate, model: gpt2}}\n");
  EXPECT_THAT(pipeline.runs[0].plan_text, HasSubstr("batch_size: [2]"));
  EXPECT_THAT(pipeline.runs[1].plan_text, Not(HasSubstr("batch_size")));
}

TEST_F(PipelineFile, ACommonSettingThatAProfileHasNoUseForIsOfTheRuns) {
  const std::string common =
      "learning_rate: 1e-4\nstride: 64\nnew_tokens: 8\nbatch_size: 2\n"
      "measure: {t: {scenario: train}, b: {seed: 2}, g: {scenario: generate, model: gpt2}}\n";
  EXPECT_THAT(read(common + "profile: {seed: 1}\n").profile_text,
              AllOf(HasSubstr("batch_size"), Not(HasSubstr("learning_rate")), Not(HasSubstr("stride")),
                    Not(HasSubstr("new_tokens"))));
  EXPECT_THAT(read(common + "profile: {scenario: train}\n").profile_text,
              AllOf(HasSubstr("learning_rate"), HasSubstr("stride"), Not(HasSubstr("new_tokens"))));
  EXPECT_THAT(read(common + "profile: {scenario: generate, model: gpt2}\n").profile_text,
              AllOf(HasSubstr("new_tokens"), Not(HasSubstr("batch_size")), Not(HasSubstr("learning_rate"))));
}

TEST_F(PipelineFile, DataIsCountedWithThePresetThatANameMeans) {
  EXPECT_THAT(read("model: bert-base-uncased\n").data.at(0).arguments, ElementsAre("bundled", "--model", "bert-base"));
}

TEST_F(PipelineFile, SyntheticDataIsNotDescribedAndEachFileOnce) {
  EXPECT_THAT(read("data: synthetic\n").data, IsEmpty());
  EXPECT_THAT(read("model: vit-test\ndata: images.csv\n").data, IsEmpty()) << "images have no lengths in tokens";
  const Pipeline pipeline = read("data: a.tsv\ntext_column: words\nmeasure: {x: {seed: 1}, y: {data: b.tsv}}\n");
  ASSERT_THAT(pipeline.data, SizeIs(2));
  EXPECT_THAT(pipeline.data[0].arguments, ElementsAre("a.tsv", "--text-column", "words", "--model", "distilbert-base"));
  EXPECT_EQ(pipeline.data[1].file, "data-2.txt");
  const Pipeline splits = read("data: a.json\nmeasure: {x: {split: test}, y: {split: train}, z: {split: test}}\n");
  EXPECT_THAT(splits.data, SizeIs(2)) << "of one file two parts";
}

TEST_F(PipelineFile, EveryBundledPlanIsOneWhoseRunsAreValid) {
  const std::filesystem::path share = source_directory() / "share";
  for (const std::string& name : bundled_plans(share)) {
    SCOPED_TRACE(name);
    const Pipeline pipeline = read_pipeline(find_plan(share, name));
    EXPECT_EQ(pipeline.name, name);
    std::vector<std::string> texts;
    for (const PipelineRun& run : pipeline.runs) texts.push_back(run.plan_text);
    if (!pipeline.profile_text.empty()) texts.push_back(pipeline.profile_text);
    for (const std::string& text : texts) {
      Plan plan;
      plan.apply_file(folder_.write("run.yaml", text));
      plan.settle();
    }
  }
}

TEST_F(PipelineFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(problem("model: bert-test\nmesure: {a: {seed: 1}}\n"), AllOf(HasSubstr(":2: "), HasSubstr("'measure'")));
  EXPECT_THAT(problem("model: bert-test\nmeasure:\n  a:\n    batch_sise: 4\n"),
              AllOf(HasSubstr(":4: "), HasSubstr("batch_size")));
  EXPECT_THAT(problem("measure: 4\n"), AllOf(HasSubstr(":1: "), HasSubstr("map of runs")));
  EXPECT_THAT(problem("measure:\n  'a/b': {seed: 1}\n"), AllOf(HasSubstr(":2: "), HasSubstr("a/b")));
  EXPECT_THAT(problem("measure: {a: {store: x.db}}\n"), HasSubstr("own folder"));
  EXPECT_THAT(problem("seed: 1\npictures: [six-pannel]\n"), AllOf(HasSubstr(":2: "), HasSubstr("'six-panel'")));
  EXPECT_THAT(problem("seed: 1\npictures: [{z: latency}]\n"), AllOf(HasSubstr("'z'"), HasSubstr("where")));
  EXPECT_THAT(problem("seed: 1\npictures: [{picture: []}]\n"), HasSubstr("picture has no value"));
  EXPECT_THAT(problem("seed: 1\npictures: [{picture: [memory, loss]}]\n"), HasSubstr("picture takes a single value"));
  EXPECT_THAT(problem("seed: 1\npictures: [{picture: memory, x: batch_size}]\n"), HasSubstr("'x' cannot be used"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latenccy}]\n"), HasSubstr("'latency'"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, y: mfu}]\n"), HasSubstr("'y' is set twice"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, file: a.docx}]\n"), HasSubstr("a.docx"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, runs: []}]\n"), HasSubstr("run has no value"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, linear: yes}]\n"), HasSubstr("true, false"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, where: fp32}]\n"), HasSubstr("fp32"));
  EXPECT_THAT(problem("seed: 1\npictures: [{picture: padding, baseline: eager}]\n"), HasSubstr("eager"));
  EXPECT_THAT(problem("seed: 1\npictures: []\n"), HasSubstr("pictures has no value"));
  EXPECT_THAT(problem("seed: 1\nprofile: {samples: 5}\n"), HasSubstr("no setting 'samples'"));
  EXPECT_THAT(problem("seed: 1\nprofile: {name: mine}\n"), HasSubstr("the pipeline itself decides 'name'"));
  EXPECT_THAT(problem("seed: 1\nprofile: {optimizer: sgd}\n"),
              HasSubstr("'optimizer' does not apply here, only to scenario train"));
  EXPECT_THAT(problem("seed: 1\nmeasure:\n  a:\n    scenario: train\n    padding: 0.5\n"),
              AllOf(HasSubstr(":5: "), HasSubstr("'padding' does not apply here, only to scenario batch")));
  EXPECT_THAT(
      problem("seed: 1\nlearning_rate: 1e-4\nmeasure: {a: {scenario: batch}}\n"),
      AllOf(HasSubstr(":2: "), HasSubstr("'learning_rate' applies to none of the runs, only to scenario train")));
  EXPECT_THAT(problem("seed: 1\ntraining:\n  learning_rate: 1e-4\n"), HasSubstr(":3: 'learning_rate' applies to none"));
  EXPECT_THAT(problem("new_tokens: 8\n"), HasSubstr("'new_tokens' applies to none of the runs"));
  EXPECT_THAT(problem("seed: 1\nreport: [README.md]\n"), HasSubstr("writes that file itself"));
  EXPECT_THAT(problem("measure: {profile: {seed: 1}}\n"), HasSubstr("the profile's name"));
  EXPECT_THAT(problem("seed: 1\npictures: [{x: batch_size}]\n"), HasSubstr("needs 'picture' or 'y'"));
  EXPECT_THAT(problem("seed: 1\npictures: [{y: latency, run: other}]\n"), HasSubstr("'other'"));
  EXPECT_THAT(problem("seed: 1\npictures: [six-panel, six-panel]\n"), HasSubstr("two pictures have the file"));
  EXPECT_THAT(problem("seed: 1\nreport: [report.docx]\n"), AllOf(HasSubstr(":2: "), HasSubstr("pptx")));
  EXPECT_THAT(problem("seed: 1\nreport: [../report.html]\n"), HasSubstr("../report.html"));
  EXPECT_THAT(problem("seed: 1\nname: 'a b'\n"), HasSubstr("'a b'"));
  EXPECT_THAT(problem("measure: {a: {seed: 1}}\nmeasure: {b: {seed: 1}}\n"), HasSubstr("set twice"));
}

}  // namespace
}  // namespace transformeter
