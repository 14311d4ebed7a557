// The page refers to nothing outside itself, so WeasyPrint reads this one file.
#include "report/pdf.h"

#include <algorithm>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace transformeter {
namespace {

// The garbage collector walks the whole page again and again: a third of the time. Freeing all of the page's objects
// once the file is there takes another tenth. An exception's exit code stays; for any other end the file is judged.
constexpr const char* kPythonSettings = R"(import atexit, gc, os, sys

gc.disable()


@atexit.register
def end_at_once():
    if os.path.exists("report.pdf") and not hasattr(sys, "last_value"):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
)";

bool is_whole_pdf(std::string_view content) {
  constexpr std::size_t kTail = 64;  // line breaks may follow the end mark
  return content.starts_with("%PDF-") &&
         content.substr(content.size() - std::min(content.size(), kTail)).find("%%EOF") != std::string_view::npos;
}

}  // namespace

std::string pdf_of_html(const std::string& html, const ToolOptions& options) {
  constexpr const char* kPage = "report.html";
  constexpr const char* kPdf = "report.pdf";
  const TemporaryDirectory folder;
  write_file_atomically(folder.path() / kPage, html);
  // Python searches this folder first.
  write_file_atomically(folder.path() / "sitecustomize.py", kPythonSettings);
  return file_written_by(kWeasyPrint, {"--quiet", "--encoding", "utf-8", kPage, kPdf}, folder.path(), kPdf,
                         is_whole_pdf, options);
}

}  // namespace transformeter
