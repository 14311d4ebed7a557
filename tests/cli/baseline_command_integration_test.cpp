// `baseline`: names that stay with the run they were set to.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BaselineCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    measure("nightly", 0.010);
  }

  void measure(const std::string& name, double mean_s) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}};
    shell(
        "$T run --model bert-test --batch-size 1,2 --sequence-length 16 --precision fp32 --replicates 3 --samples 60 "
        "--store b.db --name " +
            name,
        {{"latency", latency}, {"vary", true}});
  }

  ShellResult baseline(const std::string& arguments) const { return shell("$T baseline --store b.db " + arguments); }
};

TEST_F(BaselineCommandTest, StaysWithItsRun) {
  ASSERT_EQ(baseline("set main nightly:batch_size=2").exit_code, 0);
  measure("nightly", 0.020);
  measure("main", 0.040);  // a later run of the baseline's name
  const ShellResult compared = shell("$T compare main nightly:batch_size=2 --store b.db --format json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  const Json json = Json::parse(compared.output);
  ASSERT_EQ(json.at("pairs").size(), 1u);
  EXPECT_NEAR(json.at("pairs").at(0).at("speed_up").at("value").get<double>(), 0.5, 0.01);
  EXPECT_EQ(json.at("before").at("selection"), "main");
}

TEST_F(BaselineCommandTest, IsSetShownAndRemoved) {
  EXPECT_THAT(baseline("set main").output, HasSubstr("main: 2 cases of 20"));
  EXPECT_EQ(baseline("set other nightly:batch_size=1").exit_code, 0);
  EXPECT_THAT(baseline("list").output, AllOf(HasSubstr("main"), HasSubstr("other"), HasSubstr("batch_size=1")));
  const Json shown = Json::parse(baseline("show other --format json").output);
  ASSERT_EQ(shown.at("baselines").size(), 1u);
  EXPECT_EQ(shown.at("baselines").at(0).at("where"), "batch_size=1");
  EXPECT_EQ(baseline("remove other").exit_code, 0);
  EXPECT_EQ(Json::parse(baseline("list --format json").output).at("baselines").size(), 1u);
  EXPECT_THAT(shell("$T runs --store b.db").output, HasSubstr("nightly")) << "the run stays";
}

TEST_F(BaselineCommandTest, RefusesWhatIsNotThere) {
  const auto refused = [&](const std::string& arguments, const char* why) {
    const ShellResult result = baseline(arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(why)) << arguments;
  };
  refused("show main", "baseline set main");
  ASSERT_EQ(baseline("set main").exit_code, 0);
  refused("show man", "Did you mean 'main'?");
  refused("remove man", "Did you mean 'main'?");
  refused("set nightly", "already");
  refused("set 20", "already");
  refused("set a:b=c", "divide");
  refused("set", "the name of a baseline");
  refused("set x nightly:batch_size=3", "allowed: 1, 2");
  refused("set x never", "never");
  refused("put x", "allowed: set, list, show, remove");
  refused("list main", "list takes none");
  refused("show main nightly", "show takes none");
  EXPECT_EQ(shell("$T baseline list --store missing.db").exit_code, 3);
}

}  // namespace
}  // namespace transformeter
