// A baseline from the plan to every form of the results, with a fake worker whose times and memory are known.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/subprocess.h"
#include "base/text.h"
#include "cli/shell.h"
#include "metrics/case_metrics.h"
#include "support/html_page.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kMiB = 1048576;

// Eager takes 40 ms without padding and 30 ms with half of it, sdpa 20 ms and 10 ms: speed-ups of 2 and 3. Above the
// 150 MiB that the process begins with, eager takes 400 MiB and sdpa 300 MiB: a quarter is saved.
Json known_arms() {
  Json cases = Json::array();
  for (const char* attention : {"eager", "sdpa"}) {
    const bool is_eager = attention == std::string("eager");
    cases.push_back({{"when", {{"attention", attention}}},
                     {"effective", {{"attention_kernel", is_eager ? "eager" : "flash"}}},
                     {"scalars", {{"peak_rss", (is_eager ? 550 : 450) * kMiB}}}});
    for (const double padding : {0.0, 0.5}) {
      const double time_s = (is_eager ? 0.04 : 0.02) - (padding > 0 ? 0.01 : 0);
      cases.push_back({{"when", {{"attention", attention}, {"padding", padding}}},
                       {"latency", {{"kind", "constant"}, {"mean_s", time_s}}}});
    }
  }
  return {{"samples", 30}, {"cases", cases}};
}

const std::string kRunArms =
    "$T run --model bert-test --batch-size 8 --sequence-length 16 --precision fp32 --padding 0,0.5 "
    "--attention eager,sdpa --store r.db ";

class Baseline : public CommandTest {
 protected:
  Json shown_json(const std::string& flags = "") const {
    const ShellResult result = shell("$T show --store r.db --format json --no-samples " + flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output).at("runs").at(0);
  }
  static Json figure(const Json& pair, const std::string& name) {
    for (const Json& row : pair.at("metrics")) {
      if (row.at("name") == name) return row;
    }
    return Json();
  }
};

TEST_F(Baseline, EachCaseIsComparedWithTheBaselineOfItsPadding) {
  const ShellResult result = shell(kRunArms + "--baseline attention=eager", known_arms());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("compared with attention=eager:"), HasSubstr("2.000 (2.000 to 2.000)"),
                    HasSubstr("3.000 (3.000 to 3.000)"), HasSubstr("25.0 ± 0.0 %"), HasSubstr("faster")));
  EXPECT_EQ(load().replicates_planned, 3) << "a baseline asks for three";
  EXPECT_EQ(load().settings["replicates"]["origin"], "baseline");
  const Json comparison = shown_json().at("comparison");
  EXPECT_EQ(comparison.at("baseline"), (Json{{"attention", "eager"}}));
  ASSERT_EQ(comparison.at("pairs").size(), 2U);
  const double expected[] = {2, 3};
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& pair = comparison.at("pairs").at(i);
    EXPECT_EQ(pair.at("answer"), "faster") << pair.at("reason");
    EXPECT_NEAR(figure(pair, "speed_up").at("value").get<double>(), expected[i], 1e-9);
    EXPECT_NEAR(figure(pair, "time_saved").at("value").get<double>(), 1 - 1 / expected[i], 1e-9);
    EXPECT_NEAR(figure(pair, "memory_saved").at("value").get<double>(), 0.25, 1e-9);
  }
}

TEST_F(Baseline, IsInEveryFormAndKeepsToTheSchema) {
  ASSERT_EQ(shell(kRunArms + "--baseline attention=eager", known_arms()).exit_code, 0);
  const ShellResult markdown = shell("$T show --store r.db --format markdown");
  EXPECT_THAT(markdown.output,
              AllOf(HasSubstr("## Compared with the baseline"), HasSubstr("eager → flash"),
                    HasSubstr("sdpa is faster than eager in both pairs"), HasSubstr("geometric mean 2.449")))
      << "the square root of 2 · 3";
  const ShellResult csv = shell("$T show --store r.db --format csv | grep ,speed_up,");
  const std::vector<std::string> lines = split(trim(csv.output), '\n');
  ASSERT_EQ(lines.size(), 2U) << csv.output;
  EXPECT_THAT(std::string(trim(lines[1])), testing::EndsWith(",3,derived,,c03,faster"));
  EXPECT_EQ(shell("$T export --store r.db --format csv -o d && $T show --store r.db --format csv | cmp - d/cases.csv")
                .exit_code,
            0);
  folder_.write("schema.json", read_file(source_directory() / "docs/results.schema.json"));
  const ShellResult checked = shell(
      "/usr/bin/python3 -c \"import jsonschema\" || exit 77; $T show --store r.db --format json >shown.json; "
      "/usr/bin/python3 -c \"import json, jsonschema; jsonschema.validate(json.load(open(\\\"shown.json\\\")), "
      "json.load(open(\\\"schema.json\\\")))\"");
  if (checked.exit_code == 77) GTEST_SKIP() << "no jsonschema module for /usr/bin/python3; install python3-jsonschema";
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
}

TEST_F(Baseline, StaysWithARunThatIsExportedAndImported) {
  ASSERT_EQ(shell(kRunArms + "--baseline attention=eager", known_arms()).exit_code, 0);
  ASSERT_EQ(shell("$T export --store r.db -o a.jsonl && $T import a.jsonl --store b.db").exit_code, 0);
  EXPECT_EQ(shell("$T show --store r.db --format json >a; $T show --store b.db --format json | cmp - a").exit_code, 0);
}

TEST_F(Baseline, AnotherOneCanBeAskedForWhenReading) {
  ASSERT_EQ(shell(kRunArms + "--replicates 3", known_arms()).exit_code, 0);
  EXPECT_TRUE(shown_json().at("comparison").is_null());
  const Json comparison = shown_json("--baseline attention=sdpa").at("comparison");
  EXPECT_NEAR(figure(comparison.at("pairs").at(0), "speed_up").at("value").get<double>(), 0.5, 1e-9);
  EXPECT_EQ(comparison.at("pairs").at(0).at("answer"), "slower");
  EXPECT_THAT(shell("$T show --store r.db --baseline attention=sdpa").output,
              HasSubstr("compared with attention=sdpa:"));
  const ShellResult absent = shell("$T show --store r.db --baseline precision=bf16");
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_THAT(absent.errors, AllOf(HasSubstr("precision bf16"), HasSubstr("the cases have fp32")));
  EXPECT_EQ(absent.output, "") << "nothing is shown before it is known to be wrong";
  for (const char* flags : {"--all", "--format jsonl"}) {
    EXPECT_EQ(shell(std::string("$T show --store r.db --baseline attention=sdpa ") + flags).exit_code, 3) << flags;
  }
}

TEST_F(Baseline, WithOneReplicateTheAnswerIsUndecided) {
  const ShellResult result = shell(kRunArms + "--baseline attention=eager --replicates 1", known_arms());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("undecided (2 pairs): a comparison needs at least 3 replicates"));
  for (const Json& pair : shown_json().at("comparison").at("pairs")) EXPECT_EQ(pair.at("answer"), "undecided");
}

// Sixteen rounds back and forth are eight quads, which decide without further processes.
TEST_F(Baseline, SlicesSideBySideDecideInOneProcessEach) {
  const ShellResult result =
      shell(kRunArms + "--baseline attention=eager --replicates 1 --slices 16 --samples 32", known_arms());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json pairs = shown_json().at("comparison").at("pairs");
  for (const Json& pair : pairs) {
    EXPECT_EQ(pair.at("answer"), "faster") << pair.at("reason");
    EXPECT_EQ(figure(pair, "speed_up").at("interval"), "between_quads");
    EXPECT_EQ(figure(pair, "speed_up").at("n"), 8);
    EXPECT_TRUE(figure(pair, "memory_saved").at("value").is_null()) << "of one process";
  }
  EXPECT_NEAR(figure(pairs.at(1), "speed_up").at("value").get<double>(), 3, 1e-9);
}

// 0.8 s of each case: eight slices of 0.1 s would be four quads, sixteen of 0.05 s are the eight that are looked at
// first.
TEST_F(Baseline, ALimitedTimeIsSharedOutOverTheSlicesThatAnAnswerNeeds) {
  const std::string run =
      "$T run --model bert-test --batch-size 8 --sequence-length 16 --precision fp32 --padding 0 --attention "
      "eager,sdpa "
      "--store r.db --replicates 1 --slices 8 --time-limit 0.8s --time-budget 2s ";
  const auto samples_of_a_slice = [&](const std::string& flags) {
    std::filesystem::remove(folder_.path() / "r.db");
    Json behaviour = known_arms();
    behaviour["rule"] = true;
    const ShellResult result = shell(run + flags, behaviour);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const CaseRecord eager = load().cases.at(0);
    const Series* first = find_series(eager.replicates.at(0).series, "slice_first_sample");
    const bool has_slices = first != nullptr && first->value.size() >= 3;
    EXPECT_TRUE(has_slices);
    return has_slices ? first->value[2] - first->value[1] : 0;
  };
  EXPECT_EQ(samples_of_a_slice("--baseline attention=eager"), 3) << "one of 40 ms to warm up, two within 0.05 s";
  EXPECT_EQ(samples_of_a_slice(""), 4) << "three within 0.1 s";
}

TEST_F(Baseline, AGroupWithoutItsBaselineKeepsItsCandidate) {
  Json behaviour = known_arms();
  behaviour["cases"].push_back({{"when", {{"attention", "eager"}, {"padding", 0.5}}},
                                {"faults", {{{"kind", "failed"}, {"at", "prepare"}, {"status", "unsupported"}}}}});
  const ShellResult result = shell(kRunArms + "--baseline attention=eager", behaviour);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const Json pairs = shown_json().at("comparison").at("pairs");
  EXPECT_EQ(pairs.at(0).at("answer"), "faster");
  EXPECT_EQ(pairs.at(1).at("answer"), "undecided");
  EXPECT_THAT(pairs.at(1).at("reason").get<std::string>(), HasSubstr("is unsupported"));
  EXPECT_TRUE(figure(pairs.at(1), "speed_up").at("value").is_null());
}

TEST_F(Baseline, BadOnesAreRefusedBeforeAnythingIsMeasured) {
  const auto refused = [&](const std::string& flags, const testing::Matcher<std::string>& message) {
    const ShellResult result = shell(kRunArms + flags);
    EXPECT_EQ(result.exit_code, 3) << flags;
    EXPECT_THAT(result.errors, message) << flags;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "r.db")) << flags;
  };
  refused("--baseline precision=bf16", AllOf(HasSubstr("precision bf16"), HasSubstr("the cases have fp32")));
  refused("--baseline atention=eager", HasSubstr("Did you mean 'attention'?"));
  refused("--baseline padding=0", AllOf(HasSubstr("'padding'"), HasSubstr("must be the same on both sides")));
  refused("--baseline attention", HasSubstr("SETTING=VALUE"));
  folder_.write("p.yaml", "seed: 1\nbaseline: {attention: fast}\n");
  EXPECT_THAT(shell("$T run p.yaml --store r.db").errors, HasSubstr("p.yaml:2:"));
  EXPECT_THAT(shell("$T run paddingsweep").errors, HasSubstr("Did you mean 'padding-sweep'?"));
}

TEST_F(Baseline, ThePaddingSweepRunsByItsName) {
  const ShellResult result = shell("$T run padding-sweep --model bert-test --store r.db", {{"samples", 12}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const RunRecord run = load();
  std::set<double> paddings;
  for (const CaseRecord& one : run.cases) paddings.insert(one.requested.at("padding").get<double>());
  EXPECT_THAT(paddings, ElementsAre(0, 0.25, 0.5, 0.75)) << "exact shares";
  const Json pairs = shown_json().at("comparison").at("pairs");
  EXPECT_EQ(pairs.size(), run.cases.size() / 4 * 3) << "two kernels, padded and packed, one of them the baseline";
  std::map<std::string, const CaseRecord*> cases;
  for (const CaseRecord& one : run.cases) cases[one.id] = &one;
  for (const Json& pair : pairs) {
    ASSERT_TRUE(pair.at("baseline_case").is_string());
    const CaseRecord& baseline = *cases.at(pair.at("baseline_case"));
    const CaseRecord& candidate = *cases.at(pair.at("case"));
    EXPECT_EQ(baseline.workload_key, candidate.workload_key) << "the same inputs for both arms";
    EXPECT_EQ(baseline.requested.at("padding"), candidate.requested.at("padding"));
  }
}

TEST_F(Baseline, ReportHasTheTableAndTheFigure) {
  ASSERT_EQ(shell(kRunArms + "--baseline attention=eager", known_arms()).exit_code, 0);
  ASSERT_EQ(shell("$T report --store r.db -o out.html").exit_code, 0);
  const std::string html = read_file(folder_.path() / "out.html");
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"run-1-comparison\""), HasSubstr("href=\"#run-1-comparison\""),
                          HasSubstr("<bdi>eager → flash</bdi>")));
  std::vector<double> speed_ups;
  for (const PageFigure& shown : page_figures(html)) {
    if (shown.metric == "speed_up" && shown.part == "value") speed_ups.push_back(parse_number(shown.value).value());
  }
  EXPECT_THAT(speed_ups, ElementsAre(testing::DoubleNear(2, 1e-9), testing::DoubleNear(3, 1e-9)));
  EXPECT_EQ(unpaired_tag(without_style(html)), "");
  for (const auto& [id, count] : page_ids(html)) EXPECT_EQ(count, 1) << id;
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot for the plots; install the Debian package gnuplot-nox";
  EXPECT_THAT(html, HasSubstr("id=\"run-1-speed-up\""));
}

}  // namespace
}  // namespace transformeter
