// `trend` over twenty runs of the fake worker, of which the twelfth is slower.
#include <gmock/gmock.h>

#include "base/files.h"
#include "base/subprocess.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TrendCommandTest : public CommandTest {
 protected:
  void measure(const std::string& flags, double mean_s) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 100}};
    const ShellResult result = shell(
        "$T run --model bert-test --sequence-length 16 --precision fp32 --samples 20 --reference off --store t.db " +
            flags,
        {{"latency", latency}, {"vary", true}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }

  ShellResult trend(const std::string& arguments) const { return shell("$T trend --store t.db " + arguments); }
};

TEST_F(TrendCommandTest, NamesTheRunAndWhatChangedWithIt) {
  for (int i = 0; i < 20; ++i) {
    const double noise = 1 + 0.002 * (i * 7 % 5 - 2);
    measure(i < 12 ? "--batch-size 1 --threads 1" : "--batch-size 1 --threads 2", (i < 12 ? 0.010 : 0.011) * noise);
  }
  const ShellResult json_result = trend("--metric latency.median --group model,batch_size --format json");
  ASSERT_EQ(json_result.exit_code, 0) << json_result.errors;
  const Json series = Json::parse(json_result.output).at("series");
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series.at(0).at("points").size(), 20u);
  ASSERT_EQ(series.at(0).at("changes").size(), 1u);
  const Json& change = series.at(0).at("changes").at(0);
  EXPECT_EQ(change.at("at"), 12);
  EXPECT_NEAR(change.at("after").get<double>() / change.at("before").get<double>(), 1.1, 0.02);
  EXPECT_EQ(change.at("changes"), Json::array({"threads 1 → 2"}));
  const ShellResult text = trend("--group model,batch_size");
  EXPECT_THAT(text.output, AllOf(HasSubstr("1 change in 1 series over 20 runs"), HasSubstr("threads 1 → 2"),
                                 HasSubstr("→ 11.0 ms with run")));
  EXPECT_THAT(trend("").output, HasSubstr("no change in 1 series over 20 runs; one series with fewer than 11"))
      << "each number of threads is a series of its own";
  if (find_program("gnuplot")) {
    const ShellResult drawn = trend("--group model,batch_size --plot trend.svg");
    EXPECT_EQ(drawn.exit_code, 0) << drawn.errors;
    EXPECT_THAT(read_file(folder_.path() / "trend.svg"), AllOf(HasSubstr("over runs"), HasSubstr("</svg>")));
  }
  EXPECT_EQ(Json::parse(trend("--last 5 --format json").output).at("series").at(0).at("points").size(), 5u);
}

TEST_F(TrendCommandTest, RefusesWhatCannotBeFollowed) {
  measure("--batch-size 1,2", 0.010);
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = trend(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("--metric latncy", "latency");
  refused("--metric time_to_first_token", "no case has a value");
  refused("--metric latency.medain", "median");
  refused("--group modle", "model");
  refused("--group model", "batch_size");
  refused("--where batch_size=7", "batch_size=7");
  refused("--where batch_siz=1", "Did you mean 'batch_size'");
  refused("--level 2", "below 1");
  refused("--level 1e-12", "0.001");
  refused("--last 0", "1 or more");
  refused("--plot trend.gif", ".svg, .png or .pdf");
  refused("--plot no/such/folder/trend.svg", "no/such/folder");
  refused("--format json -o t.db", "part of the store");
  EXPECT_EQ(trend("--group model --where batch_size=1").exit_code, 0);
}

}  // namespace
}  // namespace transformeter
