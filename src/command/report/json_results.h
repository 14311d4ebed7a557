// The JSON form of results, written case by case.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/gathered_run.h"
#include "analysis/results.h"
#include "base/output.h"

namespace transformeter {

/// Byte for byte json_text(results_json(...)), in pieces.
class JsonResults {
 public:
  JsonResults(Sink sink, ResultOptions options);
  /// The next run, used without its cases; they follow one by one.
  void begin_run(const RunRecord& run);
  void add_case(const CaseRecord& the_case);
  void finish();

 private:
  void end_run();

  Sink sink_;
  ResultOptions options_;
  Json run_;                    // fields of the open run; null: none is open
  int replicates_planned_ = 1;  // of the open run
  std::size_t pending_replicate_count_ = 0;
  std::optional<GatheredRun> gathered_;  // the open run, where its cases are compared
  bool has_runs_ = false;
  bool has_cases_ = false;
};

}  // namespace transformeter
