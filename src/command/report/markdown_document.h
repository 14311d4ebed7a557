// A document as Markdown (CommonMark with GitHub's tables).
#pragma once

#include <string>

#include "report/document.h"

namespace transformeter {

/// Without figures; nothing is folded. User text is escaped.
std::string markdown_document(const Document& document);

}  // namespace transformeter
