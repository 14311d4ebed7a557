// A report as PDF, laid out by WeasyPrint.
#pragma once

#include <string>

#include "report/report_tool.h"

namespace transformeter {

/// `html` as a PDF file. Throws Error(kEnvironment) when WeasyPrint is missing, fails, hangs or writes no whole PDF,
/// and what `options.while_waiting` throws; no process and no temporary file stays.
std::string pdf_of_html(const std::string& html, const ToolOptions& options);

}  // namespace transformeter
