// The latest runs first, until all cases are found.
#include "analysis/earlier_times.h"

#include <algorithm>

#include "analysis/analyzed_run.h"
#include "analysis/stored_runs.h"
#include "metrics/case_settings.h"

namespace transformeter {

std::map<std::string, EarlierTime> earlier_times(Store& store, const std::set<std::string>& plan_keys,
                                                 const std::string& fingerprint) {
  std::map<std::string, EarlierTime> times;
  for (const RunRecord& listed : store.list_runs()) {
    if (times.size() == plan_keys.size()) break;
    const bool has_any = std::any_of(listed.cases.begin(), listed.cases.end(),
                                     [&](const CaseRecord& one) { return plan_keys.count(one.plan_key) != 0; });
    if (!has_any) continue;
    const RunRecord run = load_analyzed_run(store, listed.id);
    if (text_of_path(run.host, {"fingerprint"}) != fingerprint) continue;
    for (const AnalyzedCase& one : analyze_run(run).cases) {
      const MetricRow* time = headline_time(one);
      if (!one.is_usable() || time == nullptr || !time->value || plan_keys.count(one.record->plan_key) == 0) continue;
      times.try_emplace(one.record->plan_key, EarlierTime{run.id, *time});
    }
  }
  return times;
}

}  // namespace transformeter
