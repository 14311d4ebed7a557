// The real WeasyPrint, and programs in its place that fail, hang or write nothing of use.
#include "report/pdf.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "report/run_report.h"
#include "support/fake_tool.h"
#include "support/result_records.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Pdf : public ::testing::Test {
 protected:
  ToolOptions tool(const std::string& body) const { return fake_tool(folder_, body); }
  static std::string problem(const ToolOptions& options) {
    return environment_problem([&] { pdf_of_html("<p>text</p>", options); });
  }
  TemporaryFolder folder_;
};

TEST_F(Pdf, AFailingToolIsQuoted) {
  EXPECT_THAT(problem(tool("echo 'first' >&2; echo 'cannot load libpango' >&2; exit 1")),
              AllOf(HasSubstr("WeasyPrint failed with exit code 1: cannot load libpango"), HasSubstr(".html and .md")));
  EXPECT_THAT(problem(tool("kill -SEGV $$")), HasSubstr("SIGSEGV"));
  EXPECT_THAT(problem(tool("printf 'a\\033[31m\\377\\n'; exit 2")), HasSubstr("exit code 2: a\xEF\xBF\xBD[31m"))
      << "what it prints is neutralised";
}

TEST_F(Pdf, AFileThatIsNoWholePdfIsRefused) {
  for (const char* body : {"exit 0", "echo garbage; echo garbage >report.pdf", "printf '%%PDF-1.7 cut' >report.pdf",
                           "printf '%%%%EOF' >report.pdf", ": >report.pdf"}) {
    EXPECT_THAT(problem(tool(body)), HasSubstr("WeasyPrint wrote no complete file")) << body;
  }
  EXPECT_EQ(pdf_of_html("", tool("printf '%%PDF-1.7\\n%%%%EOF\\n' >report.pdf")), "%PDF-1.7\n%%EOF\n");
}

TEST_F(Pdf, AHangingToolIsEnded) {
  ToolOptions options = tool("exec sleep 60");
  options.limit = std::chrono::milliseconds(200);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(problem(options), HasSubstr("did not finish within 0.2 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(Pdf, AMissingToolIsNamedWithItsPackage) {
  const std::string kept = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const std::string missing = problem({});
  ::setenv("PATH", kept.c_str(), 1);
  EXPECT_THAT(missing, AllOf(HasSubstr("WeasyPrint is not installed"), HasSubstr("Debian package weasyprint"),
                             HasSubstr(".html or .md")));
}

TEST_F(Pdf, AUserWhoStopsLeavesNoFile) {
  const std::filesystem::path temporary = folder_.path() / "temporary";
  std::filesystem::create_directory(temporary);
  ToolOptions options = tool("exec sleep 60");
  options.while_waiting = [] { throw Error(ErrorKind::kInterrupted, "stopped"); };
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "/tmp";
  ::setenv("TMPDIR", temporary.c_str(), 1);
  EXPECT_THROW(pdf_of_html("", options), Error);
  ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Pdf, EveryKindOfRunBecomesOne) {
  if (!find_program("weasyprint")) GTEST_SKIP() << "no WeasyPrint; install the Debian package weasyprint";
  RunRecord empty;
  empty.id = "r";
  RunRecord hostile = mixed_run();
  hostile.name = kHostileText;
  hostile.cases[0].requested["model"] = kHostileText;
  RunRecord failed = mixed_run();
  failed.cases.erase(failed.cases.begin(), failed.cases.begin() + 2);
  for (const RunRecord& run : {empty, hostile, failed}) {
    HtmlOptions options;
    options.is_for_paper = true;
    const std::string pdf = pdf_of_html(html_report(std::vector{analyze_run(run)}, options).html, {});
    EXPECT_GT(pdf.size(), 5000U);
  }
}

}  // namespace
}  // namespace transformeter
