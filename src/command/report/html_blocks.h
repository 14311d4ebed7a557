// The blocks of a document as HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/medium.h"

namespace transformeter {

/// One after the other; empty where none has anything to show, such as figures that are not drawn. `prefix` begins the
/// ids of sub-sections; `level` is that of headings within.
std::string blocks_html(const std::vector<Block>& blocks, const std::string& prefix, int level, Medium medium);

/// A heading; `html` is not escaped.
std::string heading_html(int level, std::string_view html);

}  // namespace transformeter
