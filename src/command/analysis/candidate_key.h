// Identifies comparable training cases by the content of model and data, regardless of their names.
#pragma once

#include <map>
#include <string>

#include "analysis/analyzed_run.h"

namespace transformeter {

/// Names what the cases of one run train, also of cases that failed before anybody described it: a run has one content
/// for each name. Borrows the run for the call of the constructor alone.
class WorkloadKeys {
 public:
  explicit WorkloadKeys(const AnalyzedRun& run);

  /// Equal for cases of one task whose model and data have the same content; by their names where nothing is known.
  std::string key(const CaseRecord& the_case) const;
  /// 8 hexadecimal digits of the content; empty where it is not known.
  std::string content(const CaseRecord& the_case) const;

 private:
  std::string content_text(const CaseRecord& the_case) const;

  std::map<std::string, std::string> contents_;  // by names
};

}  // namespace transformeter
