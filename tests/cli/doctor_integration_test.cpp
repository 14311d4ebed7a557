// `doctor` through the real command, with the fake worker, without one, and with its self-test.
#include <gmock/gmock.h>

#include <map>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Doctor : public CommandTest {
 protected:
  static Json finding(const Json& report, const std::string& what) {
    for (const Json& one : report["findings"]) {
      if (one["what"] == what) return one;
    }
    ADD_FAILURE() << "no finding about " << what;
    return Json::object();
  }
};

TEST_F(Doctor, ReportsEveryMatterWithWhyAndAdvice) {
  const ShellResult result = shell("$T doctor --format json");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const Json report = Json::parse(result.output);
  for (const char* what : {"processor",
                           "precisions",
                           "frequency governor",
                           "turbo",
                           "hyper-threads",
                           "virtualization",
                           "processor quota",
                           "memory",
                           "transparent huge pages",
                           "swap",
                           "clock",
                           "foreign load",
                           "preemption",
                           "processor counters",
                           "energy counters",
                           "GPU",
                           "temporary folder",
                           "results folder",
                           "worker",
                           "worker can run",
                           "libraries",
                           "gnuplot"}) {
    const Json one = finding(report, what);
    EXPECT_FALSE(one.value("state", "").empty()) << what;
    EXPECT_FALSE(one.value("why", "").empty()) << what;
    EXPECT_EQ(one["level"] != "ok", one["advice"].is_string()) << what;
  }
  EXPECT_TRUE(report["self_test"].is_null());
  EXPECT_THAT(finding(report, "worker")["state"], HasSubstr("transformeter-fake-worker"));
}

TEST_F(Doctor, AMissingWorkerIsAFindingAndExitsWithThree) {
  const ShellResult result = shell("$T doctor --worker /nowhere/worker");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.output, AllOf(HasSubstr("problem"), HasSubstr("/nowhere/worker"), HasSubstr("make build"),
                                   HasSubstr("nothing can be measured")));
}

TEST_F(Doctor, AWorkerThatDiesIsAFinding) {
  const ShellResult result = shell("$T doctor --format json", {{"faults", {{{"kind", "crash"}, {"at", "describe"}}}}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(finding(Json::parse(result.output), "worker")["state"], HasSubstr("SIGSEGV"));
}

TEST_F(Doctor, SelfTestFindsTheKnownAnswersAgain) {
  const ShellResult result = shell("$T doctor --self-test --format json");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  std::map<std::string, std::string> levels;
  const Json report = Json::parse(result.output);
  for (const Json& one : report.at("self_test")) levels[one["what"]] = one["level"];
  EXPECT_EQ(levels, (std::map<std::string, std::string>{{"timer", "ok"},
                                                        {"harness cost", "ok"},
                                                        {"known answers: constant", "ok"},
                                                        {"known answers: lognormal", "ok"},
                                                        {"known answers: drift", "ok"},
                                                        {"known answers: a worker that dies", "ok"}}));
}

TEST_F(Doctor, SelfTestSaysWhenThereIsNoFakeWorkerBesideTheProgram) {
  const ShellResult result = shell("cp $T alone; ./alone doctor --self-test");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("not checked"), HasSubstr("transformeter-fake-worker")));
}

}  // namespace
}  // namespace transformeter
