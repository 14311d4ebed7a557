// The largest value of a setting that runs here: as a document and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/document.h"
#include "schema/status.h"

namespace transformeter {

struct LargestReport {
  struct Row {
    std::int64_t value = 0;
    std::string answer;  // "fits", "too large", "unclear"
    Status status = Status::kOk;
    std::string reason;                                        // why it is not ok
    std::optional<double> forecast, peak_allocated, peak_rss;  // bytes
  };

  std::string axis;
  std::string label;                      // of the case, without that setting
  std::optional<std::int64_t> fits;       // the largest that did
  std::optional<std::int64_t> too_large;  // the smallest that did not
  std::int64_t largest = 0;               // that was to be tried
  bool ends_at_positions = false;         // which the model's positions hold
  std::optional<std::int64_t> changed;    // ran once and did not once
  bool is_resolved = false;
  std::optional<std::int64_t> limit;  // of the worker's memory, bytes
  std::string command;                // that measures the largest
  std::vector<Row> rows;              // in the order of the trials
};

Document largest_document(const LargestReport& report);

/// {schema_version, axis, case, resolved, fits, too_large, largest, memory_limit_bytes, why, trials}, as docs/manual.md
/// describes it.
Json largest_json(const LargestReport& report);

}  // namespace transformeter
