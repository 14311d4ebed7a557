// A comparison of two selections as a document, as JSON and as JUnit's XML.
#pragma once

#include <string>

#include "analysis/run_comparison.h"
#include "base/json.h"
#include "report/document.h"

namespace transformeter {

/// The answer in sentences, a table of times, one of what else changed, and one of the gates.
Document run_comparison_document(const RunComparison& comparison);

/// {schema_version, before, after, changes, crossed, pairs, gate}, as docs/compare.md describes it.
Json run_comparison_json(const RunComparison& comparison);

/// A test case for each gate of each pair; undecided ones are skipped.
std::string run_comparison_junit(const RunComparison& comparison);

}  // namespace transformeter
