// Names that users give do not steer a terminal or break Markdown, and narrow terminals lose memory columns by name.
#include "report/diagnosis_report.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/display_text.h"
#include "report/markdown_document.h"
#include "report/recommendation_report.h"
#include "report/summary_report.h"
#include "report/text_document.h"
#include "support/result_records.h"
#include "support/training_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    run_.name = kHostileText;
    for (const double batch : {1, 8, 64}) {
      Json settings = training_settings(batch);
      settings["model"] = kHostileText;
      KnownFigures figures = step_figures(0.1 + 0.01 * batch, batch);
      figures["data_wait"] = {0.02};
      figures["peak_rss"] = {5e8};
      figures["peak_allocated"] = {4e8};
      add_training_case(run_, settings, figures);
    }
    Json settings = training_settings(128);
    settings["model"] = kHostileText;
    add_failed_training_case(run_, settings, Status::kOutOfMemory, kHostileText);
    analyzed_ = analyze_run(run_);
  }

  static void expect_tame(const std::string& text) {
    for (const char* steering : {"\x1b", "\xE2\x80\xAE"}) EXPECT_THAT(text, Not(HasSubstr(steering)));
    EXPECT_EQ(text.back(), '\n');
  }

  RunRecord run_ = training_run();
  AnalyzedRun analyzed_;
};

TEST_F(HostileTraining, IsToldTamely) {
  const TrainingDiagnosis diagnosis = diagnose_training(analyzed_);
  expect_tame(text_document(diagnosis_document(diagnosis), {.width = 200}));
  const std::string markdown = markdown_document(diagnosis_document(diagnosis));
  expect_tame(markdown);
  EXPECT_THAT(markdown, AllOf(Not(HasSubstr("<script>")), HasSubstr("excluded: c04 (batch 128): out\\_of\\_memory")));
  expect_tame(text_document(recommendation_document(recommend_training({analyzed_})), {}));
  expect_tame(text_document(summary_document(analyzed_, summaries_by(analyzed_, {"model"})), {.width = 80}));
  EXPECT_THAT(markdown_document(summary_document(analyzed_, summaries_by(analyzed_, {"model"}))),
              Not(HasSubstr("<script>")));
}

TEST_F(HostileTraining, SummariesSayHowManyStepsCasesTook) {
  SettingSummaries summaries = summaries_by(analyzed_, {"batch_size"});
  EXPECT_THAT(text_document(summary_document(analyzed_, summaries), {.width = 80}), Not(HasSubstr("steps")));
  EXPECT_EQ(summary_json(analyzed_, summaries).at("summaries").at(0).at("differing_steps"), Json());
  summaries.settings.at(0).differing_steps = StepCounts{40, 400};
  EXPECT_THAT(text_document(summary_document(analyzed_, summaries), {.width = 80}),
              HasSubstr("cases took 40 to 400 steps"));
  EXPECT_THAT(markdown_document(summary_document(analyzed_, summaries)), HasSubstr("- cases took 40 to 400 steps"));
  const Json steps = summary_json(analyzed_, summaries).at("summaries").at(0).at("differing_steps");
  EXPECT_EQ(steps, Json({{"fewest", 40}, {"most", 400}}));
}

TEST_F(HostileTraining, SharesStandBesideTimes) {
  const std::string text = text_document(diagnosis_document(diagnose_training(analyzed_)), {.width = 200});
  // 0.02 of 0.11 s; forward and backward have no figures, so no columns.
  EXPECT_THAT(text, AllOf(HasSubstr("20.0 ms 18.2 %"), HasSubstr("peak RSS"), Not(HasSubstr("forward"))));
}

TEST_F(HostileTraining, NarrowTerminalsNameWhatIsLeftOut) {
  const std::string text = text_document(diagnosis_document(diagnose_training(analyzed_)), {.width = 70});
  EXPECT_THAT(text, HasSubstr("hidden (terminal too narrow): peak RSS"));
  const std::size_t words = text.find("\n\n");
  for (const std::string& line : split(text.substr(words), '\n')) EXPECT_LE(display_width(line), 70U) << line;
}

TEST(RecommendationReport, TellsWorkloadsOfOneNameApartByTheirContent) {
  std::vector<WorkloadRecommendation> workloads(2);
  for (WorkloadRecommendation& one : workloads) {
    one.model = "distilbert-base";
    one.task = "sequence_classification";
    one.data = "train.tsv";
  }
  workloads[0].content = "0011aabb";
  const std::string text = text_document(recommendation_document(workloads), {});
  EXPECT_THAT(text, AllOf(HasSubstr("train.tsv (content 0011aabb): 0 cases"), HasSubstr("(content unknown)")));
  workloads.pop_back();
  EXPECT_THAT(text_document(recommendation_document(workloads), {}), Not(HasSubstr("content")));
  EXPECT_EQ(recommendation_json(workloads).at("workloads").at(0).at("content"), "0011aabb");
}

TEST(RecommendationReport, JsonSaysDoubtsStepsAndDivergence) {
  WorkloadRecommendation workload;
  ComparedSet set;
  set.first_steps = 40;
  set.options.resize(1);
  set.options[0].doubt = "doubtful (drift)";
  set.options[0].conditions = "threads 8";
  set.without_figure.push_back({"0.01", "r c02", "failed: step 12: the loss is nan", true});
  Recommendation one;
  one.sets.push_back(set);
  workload.recommendations.push_back(one);
  const Json json = recommendation_json({workload}).at("workloads").at(0).at("recommendations").at(0).at("sets").at(0);
  EXPECT_EQ(json.at("first_steps"), 40);
  EXPECT_EQ(json.at("options").at(0).at("doubt"), "doubtful (drift)");
  EXPECT_EQ(json.at("options").at(0).at("conditions"), "threads 8");
  EXPECT_EQ(json.at("without_figure").at(0).at("has_diverged"), true);
}

}  // namespace
}  // namespace transformeter
