// `compare` on runs of the fake worker, whose times are known.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CompareCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    measure("before", 0.010);
    measure("after", 0.011);
    measure("broken", 0.010, {{{"kind", "crash"}, {"at", "measure"}}});
  }

  void measure(const std::string& name, double mean_s, const Json& faults = Json::array()) const {
    const Json latency = {{"kind", "normal"}, {"mean_s", mean_s}, {"sd_s", mean_s / 200}};
    shell(
        "$T run --model bert-test --batch-size 1,2 --sequence-length 16 --precision fp32 --replicates 3 --samples 60 "
        "--store c.db --name " +
            name,
        {{"latency", latency}, {"vary", true}, {"faults", faults}});
  }

  ShellResult compare(const std::string& arguments) const { return shell("$T compare --store c.db " + arguments); }
};

TEST_F(CompareCommandTest, SaysWhatChanged) {
  const ShellResult result = compare("before after");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("after ("), HasSubstr("2 slower"), HasSubstr("speed-up"),
                                   HasSubstr("0.90"), HasSubstr("throughput_samples")));
}

TEST_F(CompareCommandTest, PassesFailsOrIsUndecided) {
  EXPECT_EQ(compare("before after --fail-if 'latency.median > +20%'").exit_code, 0);
  const ShellResult failed = compare("before after --fail-if 'latency.median > +3%' -o gate.md");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.output, AllOf(HasSubstr("gate: fail: 2 fail"), HasSubstr("latency.median > +3%")));
  EXPECT_THAT(read_file(folder_.path() / "gate.md"), HasSubstr("| fails if | case | answer | measured |"));
  EXPECT_EQ(compare("before after --fail-if 'latency.median > +50%' --fail-if 'energy > +1%'").exit_code, 2);
  EXPECT_EQ(compare("before broken --fail-if 'peak_rss > +3%'").exit_code, 1) << "its cases crashed";
  const ShellResult xml = compare("before after --fail-if 'latency > +3%' --fail-if 'latency > +50%' --format junit");
  EXPECT_THAT(xml.output, AllOf(HasSubstr("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"0\""),
                                HasSubstr("name=\"latency &gt; +3%\"><failure message=\"+")));
}

TEST_F(CompareCommandTest, GivesJson) {
  const Json json =
      Json::parse(compare("before:batch_size=2 after:batch_size=2 --fail-if 'latency > +3%' --format json").output);
  EXPECT_EQ(json.at("gate"), "fail");
  ASSERT_EQ(json.at("pairs").size(), 1U);
  const Json& pair = json.at("pairs").at(0);
  EXPECT_EQ(pair.at("answer"), "slower");
  EXPECT_EQ(pair.at("compared_by"), "replicates") << "slices of two runs were not measured side by side";
  EXPECT_NEAR(pair.at("speed_up").at("value").get<double>(), 1 / 1.1, 0.02);
  EXPECT_EQ(pair.at("gates").at(0).at("answer"), "fail");
  EXPECT_TRUE(pair.at("gates").at(0).at("measured").at("low").is_number());
  const Json exact = Json::parse(compare("before after --fail-if 'accuracy < 10%' --format json").output);
  EXPECT_TRUE(exact.at("pairs").at(0).at("gates").at(0).at("measured").at("low").is_null()) << "it has no interval";
  EXPECT_EQ(json.at("before").at("where").at("batch_size"), "2");
}

TEST_F(CompareCommandTest, RefusesWhatCannotBeCompared) {
  const ShellResult other = compare("before:batch_size=1 after:batch_size=2");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, AllOf(HasSubstr("batch_size 1 → 2"), HasSubstr("--across")));
  const ShellResult across = compare("before:batch_size=1 after:batch_size=2 --across --fail-if 'latency > +3%'");
  EXPECT_THAT(across.output, AllOf(HasSubstr("not alike: batch_size 1 → 2"), HasSubstr("the workloads differ")));
  EXPECT_EQ(across.exit_code, 2);
  EXPECT_THAT(
      compare("before:batch_size=1 after:batch_size=2 --across --fail-if 'latency > +3%' --format junit").output,
      HasSubstr("<property name=\"not alike\" value=\"batch_size 1 → 2\"/>"));
  const ShellResult typo = compare("before after --fail-if 'latncy > +3%'");
  EXPECT_EQ(typo.exit_code, 3);
  EXPECT_THAT(typo.errors, AllOf(HasSubstr("  latncy > +3%\n  ^~~~~~\n"), HasSubstr("did you mean 'latency'?")));
  for (const char* wrong :
       {"before", "before after broken", "before nightly", "before:batch_size=3 after", "before after --format junit",
        "before after -o x.docx", "before before", "before:batch_size=1 before:batch_size=1", "before after -o c.db"}) {
    EXPECT_EQ(compare(wrong).exit_code, 3) << wrong;
  }
}

}  // namespace
}  // namespace transformeter
