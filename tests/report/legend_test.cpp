// The lines below a table: what its figures are of.
#include "report/legend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/training_records.h"

namespace transformeter {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of_workload(const RunRecord& run) {
  return workload_lines(analyze_run(run));
}

TEST(WorkloadLines, LossesOfPairsAreOfTheirBatches) {
  const char* const line = "compares the pairs of one batch; compare only at the same batch size";
  RunRecord run = training_run();
  add_training_case(run, training_settings(8), step_figures(0.2, 8));
  EXPECT_THAT(lines_of_workload(run), Not(Contains(HasSubstr(line))));
  Json settings = training_settings(8);
  settings["task"] = "contrastive_image_text";
  add_training_case(run, settings, step_figures(0.2, 8));
  EXPECT_THAT(lines_of_workload(run), Contains(HasSubstr(line)));
}

TEST(WorkloadLines, LossesOfTranscriptsAreSumsWhereTheWorkerSaysSo) {
  RunRecord run = training_run();
  Json settings = training_settings(8);
  settings["task"] = "speech_recognition";
  CaseRecord& one = add_training_case(run, settings, step_figures(0.2, 8));
  EXPECT_THAT(lines_of_workload(run), Not(Contains(HasSubstr("loss: "))));
  one.effective["loss"] = "ctc_sum";
  EXPECT_THAT(lines_of_workload(run), Contains(HasSubstr("loss: speech_recognition sums over the sounds of a step")));
}

TEST(WorkloadLines, NameWhatAdaptersChange) {
  RunRecord run = training_run();
  CaseRecord& one = add_training_case(run, training_settings(8), step_figures(0.2, 8));
  EXPECT_THAT(lines_of_workload(run), Not(Contains(HasSubstr("LoRA"))));
  one.effective["lora"] = {{"rank", 8},
                           {"alpha", 16.0},
                           {"targets", {"query", "value"}},
                           {"matrices", 24},
                           {"modules_to_save", {"classifier"}}};
  EXPECT_THAT(lines_of_workload(run),
              Contains("LoRA: rank 8, alpha 16, on query, value (24 matrices); trained whole: classifier"));
}

}  // namespace
}  // namespace transformeter
