// One case in memory at a time.
#include "run/case_summaries.h"

#include <utility>
#include <vector>

#include "metrics/case_summary.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

std::optional<double> keep_summary(Store& store, const std::string& run_id, const std::string& case_id) {
  std::vector<CaseRecord> cases;
  RunQuery query;
  query.selector = run_id;
  query.case_id = case_id;
  query.detail = Detail::kSeries;
  store.visit(query, {[](RunRecord&&) {}, [&](CaseRecord&& one) { cases.push_back(std::move(one)); }});
  std::optional<double> half_width;
  for (CaseRecord& one : cases) {
    one.summary = summarize(one);
    half_width = headline_half_width(analysis_of(one, MetricRows::kHeadlines).metrics);
  }
  store.keep_summaries(run_id, cases);
  return half_width;
}

}  // namespace transformeter
