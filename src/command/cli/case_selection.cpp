// Labels need all cases, so that they name what tells these apart.
#include "cli/case_selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_label.h"
#include "analysis/case_pairs.h"
#include "base/error.h"
#include "cli/run_part.h"
#include "metrics/case_settings.h"
#include "metrics/case_summary.h"

namespace transformeter {

std::vector<std::string> named_parts(const std::vector<std::string>& parts) {
  return parts.empty() ? std::vector<std::string>{""} : parts;
}

CaseSelection::CaseSelection(Store& store, BaselineStore& baselines, const std::vector<std::string>& parts,
                             const CaseSelectionOptions& options) {
  const std::vector<std::string> names = named_parts(parts);
  std::vector<CaseRecord> kinds;  // as far as labels tell them apart
  for (const std::string& name : names) {
    const RunPart part = part_named(store, baselines, name);
    const auto is_taken = [&](const CaseRecord& one) { return has_settings(one, part.filters) && options.takes(one); };
    const RunRecord& run =
        runs_.emplace_back(options.with_series ? load_analyzed_run(store, part.run, {is_taken, options.with_series})
                                               : load_analyzed_run(store, part.run));
    for (const CaseRecord* record : chosen_cases({&run, name, part.filters})) {
      for (const SelectedCase& other : cases_) {
        if (other.one.record->id == record->id && other.run->id == run.id) {
          throw refused_value("run", name, fmt::format("case {} of {} is given twice", record->id, run.id));
        }
      }
      if (!options.takes(*record)) {
        ++left_out_;
        continue;
      }
      cases_.push_back({&run, name, {record, analysis_of(*record), ""}});
      kinds.emplace_back().requested = record->requested;
    }
  }
  const std::vector<std::string> axes = label_axes(kinds);
  for (SelectedCase& one : cases_) {
    const std::string label = short_label(*one.one.record, axes);
    one.one.label = names.size() > 1 ? fmt::format("{} {}", one.part, label) : label;
  }
}

std::vector<std::string> CaseSelection::processors() const {
  std::vector<std::string> names;
  for (const RunRecord& run : runs_) {
    const auto name = text_of_path(run.host, {"cpu", "model"});
    if (name && std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
  }
  return names;
}

}  // namespace transformeter
