// Steps in order, what is kept, resumed, left out and failed; the commands themselves are played.
#include "pipeline/run_pipeline.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "base/files.h"
#include "pipeline/pipeline_page.h"
#include "store/profile_store.h"
#include "store/store.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RunPipeline : public ::testing::Test {
 protected:
  RunPipeline() {
    pipeline_.name = "test";
    pipeline_.runs = {{"a", "seed: 1\n"}};
    pipeline_.pictures = {{{"a"}, "a-ecdf.svg", {"--picture", "ecdf"}, false}};
    pipeline_.reports = {"report.html"};
  }

  std::filesystem::path folder() const { return folder_.path() / "out"; }

  // Plays a command: writes its --output, or the run into the store.
  int play(const std::vector<std::string>& arguments) {
    calls_.push_back(arguments.front());
    const auto answer = answers_.find(arguments.front());
    if (answer != answers_.end()) {
      const int code = answer->second();
      if (code != 0) return code;
    }
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      if (arguments[i] == "--output") std::ofstream(arguments[i + 1]) << "made";
      if (arguments.front() == "run" && arguments[i] == "--name") store_run(arguments[i + 1]);
      if (arguments.front() == "profile" && arguments[i] == "--name") store_profile(arguments[i + 1]);
    }
    return 0;
  }

  void store_run(const std::string& name) {
    RunRecord run = mixed_run();
    run.id = "20261127-00000" + std::to_string(++runs_) + "-abcdef";
    run.name = name;
    open_store(pipeline_store(folder()), StoreMode::kWrite)->begin_run(run);
  }

  void store_profile(const std::string& name) {
    ProfileRecord profile;
    profile.id = "20261127-10000" + std::to_string(++runs_) + "-abcdef";
    profile.name = name;
    profile.case_id = "c01";
    profile.status = Status::kFailed;
    open_profile_store(pipeline_store(folder()), StoreMode::kWrite)->keep(profile);
  }

  PipelineOutcome start(std::set<StepKind> skipped = {}, bool again = false) {
    calls_.clear();
    PipelineOptions options;
    options.folder = folder();
    options.skipped = std::move(skipped);
    options.does_all_again = again;
    options.execute = [this](const std::vector<std::string>& arguments) { return play(arguments); };
    return run_pipeline(context_, pipeline_.name, steps_of(pipeline_, folder()), options);
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  std::string log_;
  Context context_{clock_, [this](LogLevel, std::string_view text) { log_.append(text).append("\n"); }, {}, {}};
  Pipeline pipeline_;
  std::vector<std::string> calls_;
  std::map<std::string, std::function<int()>> answers_;
  int runs_ = 0;
};

TEST_F(RunPipeline, DoesEveryStepOnceAndKeepsWhatIsDone) {
  const PipelineOutcome first = start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
  EXPECT_EQ(first.failed_count(), 0U);
  EXPECT_EQ(read_file(folder() / "plans/a.yaml"), "seed: 1\n");
  EXPECT_THAT(log_, HasSubstr("[1/3] measure a: transformeter run "));
  const PipelineOutcome second = start();
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_TRUE(second.steps[0].is_kept);
  start({}, true);
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
}

TEST_F(RunPipeline, AChangedRunIsMeasuredAgainAndSoIsWhatShowsIt) {
  start();
  pipeline_.runs[0].plan_text = "seed: 2\n";
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
}

TEST_F(RunPipeline, TheProfileIsStoredOnceAndTheReportsThatShowItFollowIt) {
  pipeline_.profile_text = "seed: 1\n";
  pipeline_.reports = {"report.html", "cases.csv"};
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "profile", "plot", "report", "show"));
  const std::string store = pipeline_store(folder()).string();
  EXPECT_THAT(log_, HasSubstr("profile.yaml --store " + store + " --name test --output "));
  start();
  EXPECT_THAT(calls_, IsEmpty()) << "it would be stored twice";
  pipeline_.profile_text = "seed: 2\n";
  start();
  EXPECT_THAT(calls_, ElementsAre("profile", "report")) << "a table of cases shows no profile";
}

TEST_F(RunPipeline, AProfileThatWasStoppedOrIsNoLongerInTheStoreIsMadeAgain) {
  pipeline_.profile_text = "seed: 1\n";
  answers_["profile"] = [] { return 130; };
  EXPECT_TRUE(start().is_interrupted);
  answers_.clear();
  start();
  EXPECT_THAT(calls_, ElementsAre("profile", "plot", "report"));
  std::filesystem::remove(folder() / "results.db");
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "profile", "plot", "report"));
}

TEST_F(RunPipeline, WhatShowsAChangedRunIsOutdatedEvenIfItWasSkippedMeanwhile) {
  start();
  pipeline_.runs[0].plan_text = "seed: 2\n";
  start({StepKind::kPictures, StepKind::kReport});
  EXPECT_THAT(calls_, ElementsAre("run"));
  start();
  EXPECT_THAT(calls_, ElementsAre("plot", "report"));
}

TEST_F(RunPipeline, AFolderOfOtherFilesIsNotWrittenInto) {
  std::filesystem::create_directories(folder());
  std::ofstream(folder() / "README.md") << "mine";
  EXPECT_THROW(start(), Error);
  EXPECT_EQ(read_file(folder() / "README.md"), "mine");
}

TEST_F(RunPipeline, AMissingStoreIsMadeAgain) {
  answers_["run"] = [&] {
    store_run("a");
    return 130;
  };
  start();
  start();
  std::filesystem::remove(folder() / "results.db");
  answers_.clear();
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
}

TEST_F(RunPipeline, EveryRunOfAMissingStoreIsMadeAgain) {
  pipeline_.runs = {{"a", "seed: 1\n"}, {"b", "seed: 2\n"}};
  start();
  std::filesystem::remove(folder() / "results.db");
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "run", "plot", "report")) << "the first makes the file, without the second";
}

TEST_F(RunPipeline, AMissingFileIsMadeAgain) {
  start();
  std::filesystem::remove(folder() / "report.html");
  start();
  EXPECT_THAT(calls_, ElementsAre("report"));
}

TEST_F(RunPipeline, AnInterruptedRunIsResumed) {
  answers_["run"] = [&] {
    store_run("a");
    return 130;
  };
  const PipelineOutcome first = start();
  EXPECT_TRUE(first.is_interrupted);
  EXPECT_THAT(calls_, ElementsAre("run"));
  start();
  EXPECT_THAT(calls_, ElementsAre("resume", "plot", "report"));
}

TEST_F(RunPipeline, ARunThatWasKilledBeforeItWasStoredIsRunAgain) {
  start();
  pipeline_.runs[0].plan_text = "seed: 2\n";
  answers_["run"] = []() -> int { throw 9; };  // leaves the state as a kill does
  EXPECT_THROW(start(), int);
  answers_.clear();
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report")) << "not the finished run of the other plan";
}

TEST_F(RunPipeline, AFailedStepDoesNotStopTheOthersAndIsTriedAgain) {
  answers_["run"] = [&] {
    store_run("a");
    return 1;
  };
  answers_["report"] = []() -> int { throw Error(ErrorKind::kEnvironment, "WeasyPrint is not installed."); };
  const PipelineOutcome first = start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
  EXPECT_EQ(first.failed_count(), 2U);
  EXPECT_EQ(first.steps[2].record.reason, "WeasyPrint is not installed.");
  answers_.clear();
  EXPECT_EQ(start().failed_count(), 0U);
  EXPECT_THAT(calls_, ElementsAre("resume", "plot", "report"));
}

TEST_F(RunPipeline, APictureThatIsNotWantedMayBeLeftOut) {
  answers_["plot"] = []() -> int { throw Error(ErrorKind::kUnsupported, "picture 'ecdf' needs samples"); };
  const PipelineOutcome left_out = start();
  EXPECT_EQ(left_out.failed_count(), 0U);
  EXPECT_EQ(left_out.steps[1].record.state, StepState::kLeftOut);
  answers_["plot"] = []() -> int { throw Error(ErrorKind::kBadInput, "metric 'latenccy' is not known"); };
  EXPECT_EQ(start({}, true).failed_count(), 1U) << "a mistake is no lack of data";
  answers_["plot"] = []() -> int { throw std::runtime_error("not an Error"); };
  EXPECT_EQ(start({}, true).failed_count(), 1U);
  answers_["plot"] = []() -> int { throw Error(ErrorKind::kUnsupported, "picture 'ecdf' needs samples"); };
  pipeline_.pictures[0].is_wanted = true;
  std::filesystem::remove_all(folder());
  EXPECT_EQ(start().failed_count(), 1U);
}

TEST_F(RunPipeline, APictureThatNoRunHasIsMissing) {
  pipeline_.runs = {{"a", "seed: 1\n"}, {"b", "seed: 2\n"}};
  pipeline_.pictures = {{{"a"}, "a-loss.svg", {"--picture", "loss"}, false, "loss"},
                        {{"b"}, "b-loss.svg", {"--picture", "loss"}, false, "loss"}};
  int calls = 0;
  answers_["plot"] = [&]() -> int {
    if (++calls == 1) throw Error(ErrorKind::kUnsupported, "needs training cases");
    return 0;
  };
  EXPECT_EQ(start().failed_count(), 0U) << "one of both has it";
  answers_["plot"] = []() -> int { throw Error(ErrorKind::kUnsupported, "needs training cases"); };
  EXPECT_EQ(start({}, true).failed_count(), 2U);
}

TEST_F(RunPipeline, SkippedStepsStayAsTheyAre) {
  const PipelineOutcome outcome = start({StepKind::kMeasure, StepKind::kReport});
  EXPECT_THAT(calls_, ElementsAre("plot"));
  EXPECT_TRUE(outcome.steps[0].is_skipped);
  start();
  EXPECT_THAT(calls_, ElementsAre("run", "plot", "report"));
}

TEST_F(RunPipeline, ACommandThatWritesNothingFails) {
  PipelineOptions options;
  options.folder = folder();
  options.execute = [](const std::vector<std::string>&) { return 0; };
  const PipelineOutcome outcome = run_pipeline(context_, "test", steps_of(pipeline_, folder()), options);
  EXPECT_EQ(outcome.failed_count(), 3U);
  EXPECT_THAT(outcome.steps[2].record.reason, HasSubstr("did not write"));
}

TEST_F(RunPipeline, OtherPipelinesAndDamagedStatesAreRefused) {
  start();
  pipeline_.name = "other";
  EXPECT_THROW(start(), Error);
  pipeline_.name = "test";
  write_file_atomically(folder() / "pipeline.json", R"({"version": 1, "pipeline": "test", "steps": [{"name": 3)");
  try {
    start();
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pipeline.json' cannot be read"));
  }
}

TEST_F(RunPipeline, ThePageShowsFilesAndCommands) {
  answers_["report"] = []() -> int { throw Error(ErrorKind::kEnvironment, "no <disk>"); };
  const PipelineOutcome outcome = start();
  const std::string page = pipeline_page(pipeline_, steps_of(pipeline_, folder()), outcome, folder());
  EXPECT_THAT(page, AllOf(HasSubstr("# test\n"), HasSubstr("![pictures/a-ecdf.svg](pictures/a-ecdf.svg)"),
                          HasSubstr("no &lt;disk&gt;"), HasSubstr("transformeter plot a --store "),
                          Not(HasSubstr("[report.html]"))));
  std::ofstream(folder() / "report.html") << "of an earlier start";
  EXPECT_THAT(pipeline_page(pipeline_, steps_of(pipeline_, folder()), outcome, folder()),
              Not(HasSubstr("[report.html]")))
      << "outdated";
}

}  // namespace
}  // namespace transformeter
