// `recommend` on runs of the fake worker, whose times are known.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecommendCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    measure("sweep", "--model bert-test --batch-size 1,8 --replicates 3", 0.010);
  }

  // A batch takes so long, whatever its size.
  void measure(const std::string& name, const std::string& flags, double mean_s) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}};
    const ShellResult result =
        shell("$T run " + flags + " --sequence-length 16 --precision fp32 --samples 60 --store r.db --name " + name,
              {{"latency", latency}, {"vary", true}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }

  ShellResult recommend(const std::string& arguments) const { return shell("$T recommend --store r.db " + arguments); }

  Json group(const std::string& arguments, int exit_code = 0) const {
    const ShellResult result = recommend(arguments + " --format json");
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return Json::parse(result.output).at("groups").at(0);
  }
};

TEST_F(RecommendCommandTest, TakesTheHighestThroughputWithItsConfidence) {
  const Json made = group("");
  EXPECT_EQ(made.at("best").at("label"), "b8") << "eight samples in the time of one";
  EXPECT_EQ(made.at("state"), "decided");
  EXPECT_GT(made.at("confidence").get<double>(), 0.99);
  EXPECT_EQ(made.at("covers_one_process"), false);
  EXPECT_EQ(made.at("runner_up").at("label"), "b1");
  EXPECT_EQ(made.at("next"), Json());
  const Json& advice = made.at("advice").at(0);
  EXPECT_EQ(advice.at("setting"), "batch_size");
  EXPECT_NEAR(advice.at("gain").at("value").get<double>(), 8, 0.2);
  const ShellResult text = recommend("");
  EXPECT_THAT(text.output, AllOf(HasSubstr("highest throughput: b8:"), HasSubstr("the best with a probability of"),
                                 HasSubstr("batch_size 8 instead of 1:"), HasSubstr("trade-offs: ")));
}

TEST_F(RecommendCommandTest, KeepsLimitsAndSaysWhatTheyExclude) {
  EXPECT_EQ(group("--latency-p95 20ms --memory 100GiB").at("state"), "decided");
  const Json none = group("--latency-p95 5ms", 1);
  EXPECT_EQ(none.at("state"), "none");
  EXPECT_EQ(none.at("best"), Json());
  EXPECT_EQ(none.at("exclusions").at(0).at("broken"), 2);
  EXPECT_THAT(recommend("--latency-p95 5ms").output,
              AllOf(HasSubstr("no case can be chosen"), HasSubstr("2 cases miss it, nearest")));
}

TEST_F(RecommendCommandTest, OfOneProcessHasNoConfidenceAndSaysWhatToMeasure) {
  measure("single", "--model bert-test --batch-size 1,8", 0.010);
  const Json made = group("single");
  EXPECT_EQ(made.at("confidence"), Json());
  EXPECT_THAT(made.at("why_no_confidence").get<std::string>(), HasSubstr("no interval"));
  EXPECT_EQ(made.at("state"), "undecided");
  EXPECT_EQ(made.at("next").at("replicates"), 5);
  EXPECT_THAT(made.at("next").at("command").get<std::string>(),
              AllOf(HasSubstr("transformeter run"), HasSubstr("--batch-size 8,1"), HasSubstr("--replicates 5"),
                    HasSubstr("--samples 60"), HasSubstr("--store r.db"), HasSubstr("--name single-again")));
  ASSERT_EQ(shell("cp r.db copy.db").exit_code, 0);
  const ShellResult copied = shell("$T recommend single --store copy.db --format json");
  EXPECT_THAT(Json::parse(copied.output).at("groups").at(0).at("next").at("command").get<std::string>(),
              HasSubstr("--store copy.db"))
      << "not into the store that it was copied from";
}

TEST_F(RecommendCommandTest, OfCostTakesPricesAsCostDoes) {
  const Json made = group("--for cost --price-per-hour 3.6");
  EXPECT_EQ(made.at("cost_per"), "tokens");
  EXPECT_EQ(made.at("best").at("label"), "b8");
  const ShellResult cost = shell("$T cost --store r.db --price-per-hour 3.6 --format json");
  EXPECT_EQ(Json::parse(cost.output).at("groups").at(0).at("cases").at(0).at("cost_per").at("tokens").at("value"),
            made.at("cases").at(0).at("figures").at("cost").at("value"));
}

TEST_F(RecommendCommandTest, WeighsPartsAndWritesFiles) {
  EXPECT_EQ(group("sweep:batch_size=1").at("state"), "only_one");
  EXPECT_EQ(recommend("-o r.md").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "r.md"), AllOf(HasSubstr("# Recommended case"), HasSubstr("| case |")));
  EXPECT_EQ(recommend("--for latency > /dev/full").exit_code, 3);
}

TEST_F(RecommendCommandTest, RefusesWhatItDoesNotKnow) {
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = recommend(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("--for speed", "allowed: throughput, latency");
  refused("--for cost", "--price-per-hour");
  refused("--prices no.yaml", "no.yaml");
  refused("--currency EUR", "--price-per-hour");
  refused("--latency-p95 50parsecs", "latency-p95");
  refused("--latency-p95 -1ms", "latency-p95");
  refused("--memory 2GiBs", "memory");
  refused("--memory -2GiB", "memory");
  refused("--accuracy 1.5", "a share from 0 to 1");
  refused("--accuracy -0.1", "a share from 0 to 1");
  refused("--accuracy high", "a share from 0 to 1");
  refused("--divergence -0.1", "a ratio above 0");
  refused("sweep:batch_size=2", "batch_size");
  refused("sweep sweep", "given twice");
  refused("--format csv", "table");
  refused("-o r.csv", ".md");
  refused("--format json -o r.db", "part of the store");
  refused("absent", "absent");
}

class MeasuredChoice : public RecommendCommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    measure("search", "--model bert-test --batch-size 1,8,64 --replicates 1", 0.010);
  }

  ShellResult search(const std::string& arguments, Json behaviour = Json::object()) const {
    behaviour["latency"] = {{"kind", "normal"}, {"mean_s", 0.010}, {"sd_s", 0.00005}};
    behaviour["vary"] = true;
    return shell("$T recommend --store r.db --format json " + arguments, behaviour);
  }

  std::vector<std::size_t> replicate_counts() const {
    std::vector<std::size_t> counts;
    for (const CaseRecord& one : load().cases) counts.push_back(one.replicates.size());
    return counts;
  }
};

TEST_F(MeasuredChoice, MeasuresOnlyWhatMayBeTheBestUntilItIsDecided) {
  const ShellResult result = search("search --measure 60s");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json made = Json::parse(result.output).at("groups").at(0);
  EXPECT_EQ(made.at("best").at("label"), "b64");
  EXPECT_EQ(made.at("state"), "decided");
  EXPECT_EQ(made.at("borrowed_spreads"), 1);
  EXPECT_THAT(replicate_counts(), testing::ElementsAre(1, 3, 3)) << "b1 is far behind";
  EXPECT_EQ(search("search --measure 60s").exit_code, 0);
  EXPECT_THAT(replicate_counts(), testing::ElementsAre(1, 3, 3)) << "nothing is open any more";
}

TEST_F(MeasuredChoice, EndsWithItsTime) {
  const ShellResult result = search("--measure 1ms");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("groups").at(0).at("state"), "undecided");
  EXPECT_THAT(replicate_counts(), testing::Each(1U));
}

TEST_F(MeasuredChoice, AnswersFromWhatItHasWhenInterrupted) {
  const ShellResult result = shell(
      "$T recommend --store r.db --format json --measure 60s & pid=$!; "
      "until [ -e struck ] || ! kill -0 $pid; do sleep 0.05; done; kill -INT $pid; wait $pid",
      {{"latency", {{"kind", "constant"}, {"mean_s", 0.010}}},
       {"faults", {{{"kind", "hang"}, {"at", "measure"}, {"once", "struck"}}}}});
  EXPECT_EQ(result.exit_code, 130) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("groups").at(0).at("state"), "undecided");
  EXPECT_THAT(replicate_counts(), testing::Each(1U));
}

TEST_F(MeasuredChoice, RefusesWhatItCannotTakeUp) {
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const ShellResult result = search(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(words));
  };
  refused("search search:batch_size=8 --measure 10s", "one run, not 2");
  refused("--for training --measure 10s", "leave it out with --for training");
  refused("--measure soon", "soon");
}

}  // namespace
}  // namespace transformeter
