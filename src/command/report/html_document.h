// A document as one HTML file that needs nothing else: no network, no script, no other file.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"
#include "report/html_template.h"
#include "report/medium.h"

namespace transformeter {

/// With links to the sections before them, and the figures that are drawn; a section without anything to show is left
/// out. User text is escaped; figures of cases stand in <data> elements with their value in full precision
/// (html_table.h). `page` is a template (html_template.h).
std::string html_document(const Document& document, Medium medium = Medium::kScreen,
                          std::string_view page = default_html_template());

}  // namespace transformeter
