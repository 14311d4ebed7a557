// `cost` on runs of the fake worker, whose times are known.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CostCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    measure("sweep", "--model bert-test --batch-size 1,2 --sequence-length 16", 0.010);
  }

  void measure(const std::string& name, const std::string& flags, double mean_s) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}};
    const ShellResult result =
        shell("$T run " + flags + " --precision fp32 --replicates 3 --samples 60 --store c.db --name " + name,
              {{"latency", latency}, {"vary", true}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }

  ShellResult cost(const std::string& arguments) const { return shell("$T cost --store c.db " + arguments); }

  Json json(const std::string& arguments, int exit_code = 0) const {
    const ShellResult result = cost(arguments + " --format json");
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return Json::parse(result.output);
  }
};

// A batch of 2 in 10 ms is 200 samples per second: at 3.6 an hour, a thousandth a second, 1000 samples cost 0.005.
TEST_F(CostCommandTest, IsPriceTimesTime) {
  const Json group = json("--price-per-hour 3.6 --samples 1e6").at("groups").at(0);
  const Json& cheapest = group.at("cases").at(0);
  EXPECT_EQ(cheapest.at("label"), "b2");
  EXPECT_NEAR(cheapest.at("cost_per").at("samples").at("value").get<double>(), 0.005, 0.0001);
  EXPECT_NEAR(cheapest.at("total").at("value").get<double>(), 5, 0.1);
  EXPECT_LT(cheapest.at("cost_per").at("samples").at("low"), cheapest.at("cost_per").at("samples").at("high"));
  EXPECT_EQ(group.at("is_decided"), true) << "half the cost of b1";
  EXPECT_EQ(group.at("break_even_price_per_hour"), Json()) << "one machine";
  const ShellResult text = cost("--price-per-hour 3.6");
  EXPECT_THAT(text.output, AllOf(HasSubstr("cheapest: b2:"), HasSubstr("next b1"), HasSubstr("3.60 USD per hour")));
}

TEST_F(CostCommandTest, OfTwoMachinesSaysAtWhichPriceBothCostTheSame) {
  measure("faster", "--model bert-test --batch-size 1,2 --sequence-length 16", 0.005);
  folder_.write("prices.yaml",
                "prices:\n  - {machine: old, price_per_hour: 1, date: 2020-01-31, source: a list}\n"
                "  - {machine: new, price_per_hour: 1.5, date: 2020-01-31}\n");
  const std::string machines = "--prices prices.yaml --machine sweep=old --machine faster=new";
  const Json group = json(
                         "sweep:batch_size=2 faster:batch_size=2 --prices prices.yaml --machine sweep:batch_size=2=old "
                         "--machine faster:batch_size=2=new")
                         .at("groups")
                         .at(0);
  EXPECT_EQ(group.at("cases").at(0).at("machine"), "new") << "half the time at one and a half times the price";
  EXPECT_NEAR(group.at("break_even_price_per_hour").get<double>(), 2, 0.05);
  EXPECT_THAT(cost("sweep faster " + machines).output,
              AllOf(HasSubstr("on new"), HasSubstr("prices older than a year: old, new"),
                    HasSubstr("what the cheapest at another price does")));
}

TEST_F(CostCommandTest, ChoosesOnlyWhatKeepsALimit) {
  const Json group = json("--price-per-hour 3.6 --latency-p95 9000us", 1).at("groups").at(0);
  EXPECT_EQ(group.at("cases").at(0).at("limit"), "broken");
  EXPECT_THAT(cost("--price-per-hour 3.6 --latency-p95 9ms").output, HasSubstr("no case can be chosen"));
  const Json kept = json("--price-per-hour 3.6 --latency-p95 20ms").at("groups").at(0).at("cases").at(0).at("limit");
  EXPECT_THAT(kept.get<std::string>(), StartsWith("kept"));
}

TEST_F(CostCommandTest, OfGenerationIsPerRequestAndNewToken) {
  measure("text", "--task causal_lm --scenario generate --prompt-length 8 --new-tokens 4 --model llama-test", 0.010);
  const Json group = json("text --price-per-hour 3.6").at("groups").at(0);
  const Json& per = group.at("cases").at(0).at("cost_per");
  EXPECT_NEAR(per.at("tokens").at("value").get<double>(), 250'000 * per.at("request").at("value").get<double>(), 1e-6);
}

TEST_F(CostCommandTest, RanksByTheUnitAndInTheCurrencyThatAreAsked) {
  const Json all = json("--price-per-hour 3.6 --currency EUR --per samples");
  EXPECT_EQ(all.at("currency"), "EUR");
  EXPECT_EQ(all.at("groups").at(0).at("ranked_per"), "samples");
  EXPECT_EQ(json("--price-per-hour 3.6").at("groups").at(0).at("ranked_per"), "tokens");
  EXPECT_EQ(all.at("prices").at(0).at("is_outdated"), Json()) << "a price without a date";
  EXPECT_FALSE(all.at("measured_on").empty());
}

TEST_F(CostCommandTest, TakesThePriceThatATrainingWasRunWith) {
  measure("steps", "--model bert-test --scenario train --batch-size 4 --sequence-length 16 --price-per-hour 7.2",
          0.010);
  const Json cost = json("steps").at("groups").at(0).at("cases").at(0);
  EXPECT_EQ(cost.at("price_per_hour"), 7.2);
  EXPECT_NEAR(cost.at("cost_per").at("step").at("value").get<double>(), 2e-5, 1e-6);
}

TEST_F(CostCommandTest, RanksOnlyTheSameWork) {
  measure("lengths", "--model bert-test --batch-size 1 --sequence-length 16,32", 0.010);
  const Json groups = json("lengths --price-per-hour 3.6").at("groups");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups.at(1).at("group").get<std::string>(), HasSubstr("t32"));
}

TEST_F(CostCommandTest, WritesFilesOfItsFormats) {
  EXPECT_EQ(cost("--price-per-hour 3.6 -o c.csv").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "c.csv"), AllOf(HasSubstr("thousand samples"), HasSubstr("group,case,")));
  EXPECT_EQ(cost("--price-per-hour 3.6 -o c.md").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "c.md"), HasSubstr("| case |"));
  EXPECT_EQ(cost("--price-per-hour 3.6 --plot c.svg").exit_code, 0);
  EXPECT_THAT(read_file(folder_.path() / "c.svg"), AllOf(HasSubstr("<svg"), HasSubstr("cost (USD per")));
  EXPECT_THAT(cost("--list-prices").output, AllOf(HasSubstr("g5.xlarge"), HasSubstr("2026-")));
  EXPECT_EQ(cost("--machine g5.xlarge").exit_code, 0) << "a bundled price";
}

TEST_F(CostCommandTest, ListsWhichPricesAreOutdated) {
  folder_.write("prices.yaml",
                "prices:\n  - {machine: old, price_per_hour: 1, date: 2020-01-31}\n"
                "  - {machine: new, price_per_hour: 1, date: 9999-12-31}\n  - {machine: undated, price_per_hour: 1}\n");
  const Json prices = json("--list-prices --prices prices.yaml").at("prices");
  ASSERT_EQ(prices.size(), 3u);
  EXPECT_EQ(prices.at(0).at("is_outdated"), true);
  EXPECT_EQ(prices.at(1).at("is_outdated"), false);
  EXPECT_EQ(prices.at(2).at("is_outdated"), Json()) << "a price without a date";
}

TEST_F(CostCommandTest, RefusesPricesThatAreNone) {
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = cost(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("", "--price-per-hour");
  refused("--price-per-hour -1", "above 0");
  refused("--price-per-hour cheap", "above 0");
  refused("--price-per-hour 1 --currency USDD", "Did you mean 'USD'?");
  refused("--price-per-hour 1 --machine g5.xlarge", "two prices");
  refused("--machine g5.xlage", "Did you mean 'g5.xlarge'?");
  refused("--machine nightly=g5.xlarge", "not among the runs");
  refused("--machine g5.xlarge --currency EUR", "--price-per-hour");
  refused("sweep sweep --price-per-hour 1", "given twice");
  refused("--price-per-hour 1 --samples many", "samples");
  refused("--price-per-hour 1 -o no/c.csv", "no folder");
  refused("--price-per-hour 1 --plot c.gif", ".svg, .png or .pdf");
  refused("--price-per-hour 1 --plot no/c.svg", "no folder");
  refused("--price-per-hour 1 --per token", "samples");
  refused("--price-per-hour 1 --latency-p95 soon", "latency-p95");
  refused("--price-per-hour 1 --samples 0", "above 0");
  refused("--price-per-hour 1 --format json -o c.db", "part of the store");
  refused("--price-per-hour 0", "above 0");
  refused("no-such-run --price-per-hour 0", "above 0");  // before runs are read
  refused("no-such-run --price-per-hour 1 --currency USDD", "Did you mean 'USD'?");
  refused("no-such-run --machine g5.xlage", "Did you mean 'g5.xlarge'?");
  const auto bad_list = [&](const std::string& text, const char* why) {
    folder_.write("p.yaml", text);
    refused("--prices p.yaml --machine a", why);
  };
  bad_list("prices:\n  - {machine: a, price_per_hour: -2}\n", "p.yaml:2");
  bad_list("prices:\n  - machine: a\n    price_per_hour: 2\n    currency: ABC\n", "p.yaml:4");
  bad_list("prices:\n  - machine: a\n    price_per_hour: 2\n    date: 2026-02-30\n", "YYYY-MM-DD");
  bad_list("prices:\n  - {machine: a}\n", "no price_per_hour");
  bad_list("prices:\n  - {machine: a, price_per_hour: 1, price_per_hour: 2}\n", "p.yaml:2");
  bad_list("prices:\n  - {price_per_hour: 1}\n", "no machine");
  bad_list("prices:\n  - {machine: a, price_per_hour: 1}\n  - {machine: a, price_per_hour: 2}\n", "listed twice");
  bad_list("prices:\n  - {machine: a, cost: 1}\n", "cost");
  bad_list("prices: 3\n", "no list");
  bad_list("price: []\n", "prices");
}

}  // namespace
}  // namespace transformeter
