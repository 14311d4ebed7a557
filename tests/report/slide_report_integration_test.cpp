// The real pandoc and gnuplot, and programs in their place that fail or write nothing of use.
#include "report/slide_report.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/files.h"
#include "base/subprocess.h"
#include "report/slide_pictures.h"
#include "support/fake_tool.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SlideFile : public ::testing::Test {
 protected:
  ToolOptions tool(const std::string& body) const { return fake_tool(folder_, body); }
  static std::string problem(const ToolOptions& options) {
    return environment_problem([&] { pptx_of_native("Pandoc", {}, options); });
  }

  // A text of the archive, which unzip reads.
  std::string entry(const std::string& pptx, const std::string& name) const {
    folder_.write("a.pptx", pptx);
    SpawnOptions spawn;
    spawn.arguments = {
        "-c", "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile('a.pptx').read(sys.argv[1]))", name};
    spawn.output = folder_.path() / "entry";
    spawn.working_folder = folder_.path();
    std::filesystem::remove(spawn.output);
    Subprocess(*find_program("python3"), spawn).wait();
    return read_file_or_empty(spawn.output);
  }

  TemporaryFolder folder_;
};

#define NEEDS_PANDOC() \
  if (!find_program("pandoc")) GTEST_SKIP() << "no pandoc; install the Debian package pandoc"

TEST_F(SlideFile, AFailingToolIsQuotedAndWhatIsNoArchiveRefused) {
  EXPECT_THAT(problem(tool("echo 'pandoc: out of memory' >&2; exit 251")),
              AllOf(HasSubstr("pandoc failed with exit code 251: pandoc: out of memory"), HasSubstr(".html and .md")));
  for (const char* body : {"exit 0", "echo garbage >slides.pptx", "printf 'PK\\003\\004 cut' >slides.pptx"}) {
    EXPECT_THAT(problem(tool(body)), HasSubstr("pandoc wrote no complete file")) << body;
  }
}

TEST_F(SlideFile, AHangingToolIsEnded) {
  ToolOptions options = tool("exec sleep 60");
  options.limit = std::chrono::milliseconds(200);
  EXPECT_THAT(problem(options), HasSubstr("did not finish within 0.2 s"));
}

TEST_F(SlideFile, HostileTextIsTextOnASlide) {
  NEEDS_PANDOC();
  RunRecord run = mixed_run();
  run.name = "*a* $b$ `c` | [d](e) @f \\ \"g\" <script>";
  SlideOptions options;
  options.gnuplot = tool("exit 1");
  const SlideReport report = slide_report(std::vector{analyze_run(run)}, options);
  EXPECT_THAT(report.plots_problem, HasSubstr("gnuplot failed"));
  EXPECT_THAT(entry(report.pptx, "ppt/slides/slide1.xml"),
              HasSubstr("Run *a* $b$ `c` | [d](e) @f \\ &quot;g&quot; &lt;script&gt;"));
  EXPECT_THAT(entry(report.pptx, "ppt/slides/slide2.xml"), HasSubstr("This report has no plots"));
}

TEST_F(SlideFile, EveryKindOfRunBecomesOne) {
  NEEDS_PANDOC();
  RunRecord empty;
  empty.id = "r";
  RunRecord failed = mixed_run();
  failed.cases.erase(failed.cases.begin(), failed.cases.begin() + 2);
  for (const RunRecord& run : {empty, failed, mixed_run()}) {
    EXPECT_GT(slide_report(std::vector{analyze_run(run)}, {}).pptx.size(), 10000U);
  }
}

TEST_F(SlideFile, APictureIsAPngWithNames) {
  if (!find_program("gnuplot")) GTEST_SKIP() << "no gnuplot; install the Debian package gnuplot-nox";
  Figure figure;
  figure.plot.y.tics = {{0.5, kHostileText + "'`touch /tmp/transformeter-injected`"}};
  figure.legend.assign(
      50, {PlotRole::kSeries1, false,
           kHostileText + "`touch /tmp/transformeter-injected`'; system('touch /tmp/transformeter-injected')"});
  const DrawnPlots drawn = draw_slide_pictures({figure});
  EXPECT_EQ(drawn.problem, "");
  ASSERT_EQ(drawn.files.size(), 1U);
  EXPECT_TRUE(drawn.files[0].starts_with("\x89PNG"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/transformeter-injected"));
}

}  // namespace
}  // namespace transformeter
