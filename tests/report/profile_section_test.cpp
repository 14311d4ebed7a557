// What a report says of the profiles of a run's cases: each figure is computed again from the profile's nodes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "report/report_sections.h"
#include "report/run_report.h"
#include "report/slides.h"
#include "support/made_profile.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ProfileSection : public testing::Test {
 protected:
  ProfileSection() {
    record_ = run_of("r", {measured_case(0, requested_of(8, 128, "fp32"), {0.1})});
    run_ = analyze_run(record_);
    profiles_.shown.push_back(profile_of(made_profile()));
    Profile& profile = *shown().profile;
    profile.unprofiled_s = {0.09, 0.1, 0.14};
    profile.profiled_s = {0.12, 0.136};
  }

  static CaseProfile profile_of(Profile profile) {
    CaseProfile one;
    one.record.id = "20261121-015354-3fa9c1";
    one.record.started_at = "2026-11-21T01:53:54.000Z";
    one.record.case_id = "c01";
    one.record.label = "distilbert-base b8 t128 fp32";
    one.record.requested = requested_of(8, 128, "fp32");
    one.record.effective["peaks"] = {{"gemm", {{"value", 125e9}}}, {"read_bandwidth", {{"value", 100e9}}}};
    one.record.profile = std::move(profile);
    return one;
  }

  ProfileRecord& shown() { return profiles_.shown.front().record; }
  std::vector<Block> blocks() const { return profile_section({{&run_, 1}, run_, nullptr, &profiles_}); }
  SubSection of_case() const { return std::get<SubSection>(blocks().at(1)); }
  std::string markdown() const { return markdown_report({&run_, 1}, {.store = "a.db", .profiles = {&profiles_, 1}}); }

  RunRecord record_;
  AnalyzedRun run_;
  RunProfiles profiles_;
};

std::string cell(const Table& table, std::size_t column, std::size_t row) {
  return std::get<std::string>(table.columns.at(column).cells.at(row).content);
}

std::vector<std::string> headings_of(const Table& table) {
  std::vector<std::string> headings;
  for (const Column& column : table.columns) headings.push_back(column.heading);
  return headings;
}

// Self times in one of two passes by the name that `name_of_node` gives each node.
std::map<std::string, double> self_times(const Profile& profile,
                                         const std::function<std::string(std::size_t)>& name_of_node) {
  std::map<std::string, double> times;
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) times[name_of_node(i)] += profile.nodes[i].self_s / 2;
  return times;
}

// Each row has its time, and its share of the 100 ms of a pass.
void expect_rows(const Table& table, const std::map<std::string, double>& times) {
  double whole_s = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto time = times.find(cell(table, 0, row));
    ASSERT_NE(time, times.end()) << cell(table, 0, row);
    EXPECT_EQ(cell(table, 1, row), format_duration(time->second)) << time->first;
    EXPECT_EQ(cell(table, 2, row), fmt::format("{:.1f} %", 100 * time->second / 0.1)) << time->first;
    whole_s += time->second;
  }
  EXPECT_NEAR(whole_s, 0.1, 1e-9) << "rows add up to the pass";
}

TEST_F(ProfileSection, SaysWhatTheProfilerCostAndWhoseProfileItIs) {
  const std::vector<Block> all = blocks();
  EXPECT_THAT(std::get<Paragraph>(all.at(0)).text, HasSubstr("are times with the profiler"));
  EXPECT_EQ(of_case().title, run_.cases[0].label) << "as in the run's tables";
  const auto paragraph = std::get<Paragraph>(of_case().blocks.at(0));
  // The median of 90, 100 and 140 ms is 100 ms, that of 120 and 136 ms is 128 ms, as their mean is; 100 ms a pass are
  // in the nodes.
  EXPECT_EQ(paragraph.text,
            "median 100 ms a pass without the profiler, 128 ms with it (1.28x); with it the mean of 2 is 128 ms (120 "
            "ms to 136 ms); self times add up to 78.1 % of that. The run measured a median of 100 ms ± 0.2 %. Profile "
            "20261121-015354-3fa9c1 c01, started 2026-11-21T01:53:54.000Z.");
  shown().name = "before";
  profiles_.shown.front().differences = {{Cause::kSettings, "threads", "1", "2"}, {Cause::kLibraries, "MKL", "a", "b"}};
  EXPECT_THAT(
      std::get<Paragraph>(of_case().blocks.at(0)).text,
      AllOf(HasSubstr("c01 (before), started"), HasSubstr(" It differs from the run: threads 1 → 2; MKL a → b.")));
}

TEST_F(ProfileSection, SaysWhereSlowPassesMakeTheTables) {
  EXPECT_THAT(markdown(), Not(HasSubstr("slow ones")));
  shown().profile->profiled_s = {0.1, 0.1, 0.4};
  EXPECT_THAT(markdown(), HasSubstr("raise the mean, and so the tables, to 2.0 times the median"));
  shown().profile->batches = 2;
  EXPECT_THAT(markdown(), Not(HasSubstr("slow ones"))) << "two batches may differ";
}

TEST_F(ProfileSection, SaysWhoseCountersTheTimesAre) {
  EXPECT_THAT(markdown(), Not(HasSubstr("own counters")));
  shown().profile->counted_by = "OpenVINO 2026.4.1";
  EXPECT_THAT(markdown(), HasSubstr("times are OpenVINO 2026.4.1's own counters of graph nodes, in whole microseconds; "
                                    "it does not report memory by operator"));
}

TEST_F(ProfileSection, SaysOfHowManyBatchesTheProfileIs) {
  shown().effective["cycle_batches"] = 2;
  shown().profile->batches = 2;
  EXPECT_THAT(std::get<Paragraph>(of_case().blocks.at(0)).text, Not(HasSubstr("of the cycle's")));
  shown().effective["cycle_batches"] = 120;
  EXPECT_THAT(std::get<Paragraph>(of_case().blocks.at(0)).text,
              HasSubstr(" It has the first 2 of the cycle's 120 batches."));
}

TEST_F(ProfileSection, NamesTheLargestBottlenecksWithTheMachinesLimits) {
  const auto list = std::get<List>(of_case().blocks.at(1));
  ASSERT_EQ(list.items.size(), 3U);
  // 29 ms and 2.9 GFLOP in each of two layers: 58 of 100 ms at 100 GFLOP/s.
  EXPECT_EQ(list.items[0].text,
            "m.layer.*.lin, aten::addmm: 58.0 ms of 100 ms (58 %) in 2 calls. Bound by compute: 100 GFLOP/s of 125 "
            "GFLOP/s; at that limit it would take 46.4 ms.");
  EXPECT_THAT(list.items[1].text, HasSubstr("aten::gelu: 20.0 ms of 100 ms (20 %) in 2 calls"));
  shown().effective["peaks"]["gemm"] = {{"reason", "no peaks: --peaks off"}};
  EXPECT_EQ(std::get<List>(of_case().blocks.at(1)).items.size(), 3U);
  EXPECT_EQ(std::get<Paragraph>(of_case().blocks.at(2)).text, "Not every limit is known (no peaks: --peaks off).");
}

TEST_F(ProfileSection, TablesHoldThePassByPhaseAndByModule) {
  const std::vector<Block> all = of_case().blocks;
  const Profile& profile = *shown().profile;
  const auto phases = std::get<Table>(all.at(2));
  expect_rows(phases, self_times(profile, [&](std::size_t i) {
                const auto& phase = profile.nodes[i].phase;
                return phase ? std::string(name_of(*phase)) : "other";
              }));
  const auto modules = std::get<Table>(all.at(3));
  EXPECT_THAT(headings_of(modules), ElementsAre("name", "self time", "share of the pass", "calls"));
  EXPECT_EQ(cell(modules, 0, 0), "m.layer.*.lin") << "the longest first";
  EXPECT_EQ(cell(modules, 1, 0), "60.0 ms");
}

// With a product of 10 ms each.
Profile profile_of_modules(int count) {
  Profile profile = made_profile();
  profile.nodes.resize(1);
  for (int i = 0; i < count; ++i) {
    const std::string name = "m.part" + std::string(1, static_cast<char>('a' + i));
    const std::size_t module = add_node(profile, 0, ProfileNodeKind::kModule, name, std::nullopt, 0.01, 0);
    add_node(profile, module, ProfileNodeKind::kOperator, "aten::mm", std::nullopt, 0.01, 0.01);
  }
  return profile;
}

TEST_F(ProfileSection, ManyModulesEndInOneRowThatKeepsTheSum) {
  shown().profile = profile_of_modules(7);
  EXPECT_EQ(std::get<Table>(of_case().blocks.at(3)).row_count(), 7U) << "a row of one other would say less";
  shown().profile = profile_of_modules(10);
  const auto modules = std::get<Table>(of_case().blocks.at(3));
  ASSERT_EQ(modules.row_count(), 7U);
  double whole_s = 0;
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(cell(modules, 1, row), "10.0 ms");
    whole_s += 0.01;
  }
  EXPECT_EQ(cell(modules, 0, 6), "4 others");
  EXPECT_EQ(cell(modules, 1, 6), format_duration(0.1 - whole_s));
  EXPECT_EQ(cell(modules, 2, 6), "40.0 %");
}

TEST_F(ProfileSection, AStepHasItsBackwardPasses) {
  profiles_.shown = {profile_of(made_step_profile())};
  shown().requested["scenario"] = "train";
  const auto phases = std::get<Table>(of_case().blocks.at(2));
  EXPECT_THAT(headings_of(phases), ElementsAre("name", "self time", "share of the step", "backward", "calls"));
  std::map<std::string, std::string> backward;
  for (std::size_t row = 0; row < phases.row_count(); ++row) backward[cell(phases, 0, row)] = cell(phases, 3, row);
  ASSERT_TRUE(backward.contains("feed_forward"));
  EXPECT_EQ(backward["feed_forward"], "20.0 ms");
}

TEST_F(ProfileSection, IsLeftOutWithoutProfilesAndCountsThoseThatItLacks) {
  EXPECT_TRUE(profile_section({{&run_, 1}, run_}).empty());
  EXPECT_THAT(markdown(), AllOf(HasSubstr("## Where the time goes"), Not(HasSubstr("further case"))));
  profiles_.left_out = 2;
  EXPECT_THAT(markdown(), HasSubstr("profiles of 2 further cases"));
  profiles_.left_out = 0;
  EXPECT_THAT(markdown(), Not(HasSubstr("no profile of their own")));
  record_ = run_of("r", {measured_case(0, requested_of(8, 128, "fp32"), {0.1}),
                         measured_case(1, requested_of(1, 128, "fp32"), {0.1})});
  run_ = analyze_run(record_);
  EXPECT_THAT(markdown(), HasSubstr("1 of 2 cases have no profile of their own"));
  profiles_.shown.clear();
  profiles_.left_out = 0;
  EXPECT_THAT(markdown(), Not(HasSubstr("Where the time goes")));
}

TEST_F(ProfileSection, IsOnPagesAndSlidesAndEscapesNames) {
  run_.cases[0].label = kHostileText;
  shown().name = kHostileText;
  shown().profile->nodes.at(1).name = kHostileText;
  HtmlOptions options;
  options.gnuplot.program = "/no/such/gnuplot";
  options.profiles = {&profiles_, 1};
  const std::string html = html_report({&run_, 1}, options).html;
  EXPECT_THAT(html,
              AllOf(HasSubstr("Where the time goes"), HasSubstr("58.0 ms of 100 ms"), Not(HasSubstr("<script>"))));
  const std::vector<ReportSection> sections = slide_sections();
  const Deck deck = slides_of(run_document({&run_, 1}, {.sections = sections, .profiles = {&profiles_, 1}}));
  std::map<std::string, int> titles;
  for (const Slide& slide : deck.slides) ++titles[slide.title];
  EXPECT_EQ(titles["Where the time goes"], 1) << "what holds for all";
  EXPECT_GE(titles["Where the time goes: " + std::string(kHostileText)], 3) << "what the profiler cost, and two tables";
}

}  // namespace
}  // namespace transformeter
