// `plot` through the real command: formats, errors with their exit codes, a missing gnuplot.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/subprocess.h"
#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PlotRuns : public CommandTest {
 protected:
  std::string file(const std::string& name) const { return read_file_or_empty(folder_.path() / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
};

#define NEEDS_GNUPLOT() \
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox"

TEST_F(PlotRuns, EndingChoosesTheFormat) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  for (const char* name : {"a.jpg", "a", "a.svg.txt"}) {
    const ShellResult refused = shell(std::string("$T plot --y latency --store r.db -o ") + name);
    EXPECT_EQ(refused.exit_code, 3) << name;
    EXPECT_THAT(refused.errors, HasSubstr(".svg, .png or .pdf"));
    EXPECT_FALSE(exists(name));
  }
  NEEDS_GNUPLOT();
  const std::vector<std::pair<std::string, std::string>> begins{
      {"a.svg", "<?xml"}, {"a.png", "\x89PNG"}, {"a.pdf", "%PDF-"}};
  for (const auto& [name, begin] : begins) {
    const ShellResult drawn = shell("$T plot --y latency,peak_rss --store r.db -o " + name);
    EXPECT_EQ(drawn.exit_code, 0) << drawn.errors;
    EXPECT_THAT(drawn.output, HasSubstr("plot of run"));
    EXPECT_THAT(file(name), StartsWith(begin));
  }
  EXPECT_THAT(file("a.svg"), AllOf(HasSubstr("role=\"img\""), HasSubstr("latency (ms)"), Not(HasSubstr("rgb(254"))));
}

TEST_F(PlotRuns, WhatCannotBeDrawnIsAnErrorAndLeavesTheOldFile) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  folder_.write("old.svg", "old");
  const std::vector<std::pair<std::string, std::string>> refused{
      {"--y latncy", "Did you mean 'latency'"},
      {"--y latency --x batch_sise", "Did you mean 'batch_size'"},
      {"--y latency --x attention", "settings that vary"},
      {"--y latency --log z", "x, y, xy"},
      {"--y latency --names long", "short, full"},
      {"--y latency --where model", "SETTING=VALUE"},
      {"--y speed_up", "--baseline"}};
  for (const auto& [options, words] : refused) {
    const ShellResult result = shell("$T plot --store r.db -o old.svg " + options);
    EXPECT_EQ(result.exit_code, 3) << options;
    EXPECT_THAT(result.errors, HasSubstr(words)) << options;
    EXPECT_EQ(file("old.svg"), "old");
  }
  EXPECT_EQ(shell("$T plot --y latency --log x --linear --store r.db -o a.svg").exit_code, 3);
  EXPECT_THAT(shell("$T plot --y latency --store r.db -o a.svg --where batch_size=7").errors,
              HasSubstr("batch_size '7'"));
}

TEST_F(PlotRuns, ReadyPicturesAreListedAndDrawnByName) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  const ShellResult list = shell("$T plot --list");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.output, AllOf(HasSubstr("six-panel"), HasSubstr("time-breakdown")));
  const ShellResult lacking = shell("$T plot --picture loss --store r.db -o a.svg");
  EXPECT_EQ(lacking.exit_code, 3);
  EXPECT_THAT(lacking.errors, AllOf(HasSubstr("needs training cases, which run"), HasSubstr("transformeter train")));
  EXPECT_THAT(shell("$T plot --picture six-pannel --store r.db -o a.svg").errors,
              HasSubstr("Did you mean 'six-panel'"));
  EXPECT_THAT(shell("$T plot --picture ecdf --x batch_size --store r.db -o a.svg").errors,
              HasSubstr("cannot combine --x with --picture ecdf"));
  EXPECT_THAT(shell("$T plot --store r.db -o a.svg").errors, HasSubstr("--y"));
  EXPECT_THAT(shell("$T plot --y latency --store r.db").errors, HasSubstr("--output is required"));
  NEEDS_GNUPLOT();
  for (const char* name : {"six-panel", "heat-map", "memory", "pareto", "ecdf", "time-series"}) {
    const ShellResult drawn = shell(std::string("$T plot --store r.db -o ") + name + ".pdf --picture " + name);
    EXPECT_EQ(drawn.exit_code, 0) << name << drawn.errors;
    EXPECT_THAT(file(std::string(name) + ".pdf"), StartsWith("%PDF-"));
  }
}

TEST_F(PlotRuns, WithoutGnuplotItNamesThePackage) {
  ASSERT_EQ(shell(kRunTwo).exit_code, 0);
  const ShellResult result = shell("PATH=/nowhere $T plot --y latency --store r.db -o a.svg");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("gnuplot-nox"));
  EXPECT_FALSE(exists("a.svg"));
}

}  // namespace
}  // namespace transformeter
