// `doctor` through the real command, with the fake worker, without one, and with its self-test.
#include <gmock/gmock.h>

#include <map>

#include "base/text.h"
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
                           "background load",
                           "preemption",
                           "processor counters",
                           "energy counters",
                           "GPU",
                           "temporary folder",
                           "results folder",
                           "cache folder",
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
  EXPECT_THAT(result.output, AllOf(HasSubstr("problem"), HasSubstr("/nowhere/worker"), HasSubstr("make programs"),
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
                                                        {"products fp32", "ok"},
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

TEST_F(Doctor, SelfTestPassesWhereTmpdirNamesNoFolder) {
  const ShellResult result = shell("TMPDIR=$PWD/missing $T doctor --self-test --format json");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("known answers: lognormal"));
}

TEST_F(Doctor, SelfTestDoesNotCallNumbersWrongWhereNoFolderCanBeMade) {
  // In /proc not even root makes a folder.
  const ShellResult result = shell("TMPDIR=/proc $T doctor --self-test --format json");
  const Json report = Json::parse(result.output);
  const Json& answers = report.at("self_test").back();
  EXPECT_EQ(answers["what"], "known answers");
  EXPECT_EQ(answers["level"], "limited");
  EXPECT_THAT(answers["state"], AllOf(HasSubstr("not checked"), HasSubstr("/proc"), HasSubstr("TMPDIR")));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("this build reports wrong numbers")));
}

TEST_F(Doctor, LineBreaksOfAWorkersMessageDoNotBreakTheTable) {
  const ShellResult result = shell("$T doctor --worker /bin/cat --self-test");
  for (const std::string& line : split(result.output, '\n')) {
    const bool is_row = line.starts_with("ok ") || line.starts_with("limited ") || line.starts_with("problem ");
    const bool goes_on = line.starts_with("            ");
    const bool is_title = line.empty() || line == "Self-test" || line.find(" problem") != std::string::npos;
    EXPECT_TRUE(is_row || goes_on || is_title) << line;
  }
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace transformeter
