// The largest value of a setting that runs here: as a document and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "metrics/largest_case.h"
#include "report/document.h"

namespace transformeter {

struct LargestReport {
  LargestCase answer;
  std::string label;    // of the case, without the setting that was searched for
  std::string command;  // that measures the largest
  Json host;            // environment with the worker's build, as runs have it
};

Document largest_document(const LargestReport& report);

/// As docs/manual.md describes it.
Json largest_json(const LargestReport& report);

}  // namespace transformeter
