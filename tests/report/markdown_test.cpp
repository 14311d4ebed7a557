// The Markdown report: what it claims, and what hostile text does to it.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/text.h"
#include "report/markdown_text.h"
#include "report/run_report.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string markdown_of(const RunRecord& run) {
  return markdown_report(std::vector{analyze_run(run)}, {.store = "a.db"});
}

// Column separators of a table's row: escaped ones do not count.
std::size_t separators(const std::string& line) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++count;
    }
  }
  return count;
}

TEST(Markdown, DescribesWithoutClaimingBelowThreeReplicates) {
  const std::string text = markdown_of(mixed_run());
  EXPECT_THAT(text, HasSubstr("Lowest median latency: 100 ms at b8 t128 bf16"));
  EXPECT_THAT(text, HasSubstr("undecided: a comparison needs at least 3 replicates of each case"));
  EXPECT_THAT(text, Not(HasSubstr("; faster.")));
  EXPECT_THAT(text, Not(HasSubstr("speed-up 2")));
}

TEST(Markdown, GivesTheSpeedUpOverReplicates) {
  RunRecord run = mixed_run();
  run.cases[0] = measured_case(0, requested_of(8, 128, "fp32"), {0.199, 0.2, 0.201});
  run.cases[1] = measured_case(1, requested_of(8, 128, "bf16"), {0.0995, 0.1, 0.1005});
  const std::string text = markdown_of(run);
  EXPECT_THAT(text, HasSubstr("precision bf16 vs. fp32 (b8 t128 bf16)"));
  EXPECT_THAT(text, HasSubstr("; speed-up 2.000 (95 % interval "));
  EXPECT_THAT(text, HasSubstr("; faster."));
}

TEST(Markdown, HoldsEverySectionAndTheCommand) {
  const std::string text = markdown_of(mixed_run());
  for (const char* heading : {"# Run nightly", "## Results", "## Cases", "## Memory", "## Verdicts", "## Environment",
                              "## Settings", "## Reproduce", "## What the numbers mean"}) {
    EXPECT_THAT(text, HasSubstr(heading));
  }
  EXPECT_THAT(text, HasSubstr("transformeter run --batch-size 1,8 --precision fp32,bf16,fp16"));
  EXPECT_THAT(text, HasSubstr("plan a.yaml:3"));
}

// Settings that follow from an axis, as fusion from the engine, are no axes of their own.
TEST(Markdown, CallsSameInAllCasesOnlyWhatIs) {
  RunRecord run = mixed_run();
  run.cases.resize(2);
  for (CaseRecord& one : run.cases) {
    one.requested["streams"] = 1;
    one.requested["fusion"] = "none";
  }
  EXPECT_THAT(markdown_of(run), AllOf(HasSubstr("fusion none"), HasSubstr("streams 1")));
  run.cases[1].requested["fusion"] = "fused";
  EXPECT_THAT(markdown_of(run), AllOf(Not(HasSubstr("fusion none")), HasSubstr("streams 1")));
}

TEST(Markdown, HostileTextNeitherMarksUpNorBreaksTables) {
  RunRecord run = mixed_run();
  run.name = kHostileText;
  run.cases[0].requested["model"] = kHostileText;
  run.cases[3].status_reason = kHostileText;
  run.host["cpu"]["model"] = kHostileText;
  run.settings["name"] = {{"values", {kHostileText + "\n```\n"}}, {"origin", "flag"}};
  const std::string text = markdown_of(run);
  // The command stands in a fenced block, where nothing is markup.
  EXPECT_THAT(text.substr(0, text.find("## Reproduce")), Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  std::size_t columns = 0;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("|")) {
      columns = 0;
      continue;
    }
    if (columns == 0) columns = separators(line);
    EXPECT_EQ(separators(line), columns) << line;
  }
}

TEST(Markdown, FenceIsLongerThanAnyInside) {
  EXPECT_EQ(fenced("a ```` b"), "`````\na ```` b\n`````\n");
  EXPECT_EQ(fenced("a"), "```\na\n```\n");
}

TEST(Markdown, EmptyRunSaysSo) {
  RunRecord run;
  run.id = "r";
  const std::string text = markdown_of(run);
  EXPECT_THAT(text, HasSubstr("The run has no cases."));
  EXPECT_THAT(text, HasSubstr("No case in this run has a usable measurement."));
  EXPECT_THAT(text, HasSubstr("No case was measured."));
}

}  // namespace
}  // namespace transformeter
