// The style of reports on paper: printed by a browser, or laid out by WeasyPrint for a PDF.
#pragma once

#include <string>

#include "report/medium.h"

namespace transformeter {

/// Of every HTML report: what a browser prints. Holds no '<'.
std::string print_style();

/// Of the HTML that becomes a PDF, after all others: A4 pages, contents with page numbers, running heads, tables in
/// fixed columns. Colours are the variables of html_style. Holds no '<'.
std::string paper_style(Medium paper);

}  // namespace transformeter
