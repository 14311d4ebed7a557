// A run as a document that fits a terminal: one table and the lines below.
#pragma once

#include <string>

#include "report/document.h"

namespace transformeter {

/// Whether what is pending is told: the end of a run says it after the table.
enum class PendingLine { kShown, kLeftOut };

/// `store` is the path of the store, for the closing line; empty: left out. Borrows nothing.
Document terminal_document(const AnalyzedRun& run, const std::string& store, PendingLine pending);

}  // namespace transformeter
