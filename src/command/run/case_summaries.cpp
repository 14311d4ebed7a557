// One case in memory at a time.
#include "run/case_summaries.h"

#include <utility>
#include <vector>

#include "metrics/case_summary.h"
#include "metrics/latency_metrics.h"
#include "metrics/verdict_rules.h"

namespace transformeter {

CaseSoFar keep_summary(Store& store, const std::string& run_id, const std::string& case_id) {
  std::vector<CaseRecord> cases;
  RunQuery query;
  query.selector = run_id;
  query.case_id = case_id;
  query.detail = Detail::kSeries;
  store.visit(query, {[](RunRecord&&) {}, [&](CaseRecord&& one) { cases.push_back(std::move(one)); }});
  CaseSoFar so_far;
  for (CaseRecord& one : cases) {
    one.summary = summarize(one);
    CaseAnalysis analysis = analysis_of(one, MetricRows::kHeadlines);
    const MetricRow* row = headline(analysis.metrics);
    so_far = {headline_half_width(analysis.metrics), row != nullptr && is_over_slices(row->interval),
              std::move(analysis.slices)};
  }
  store.keep_summaries(run_id, cases);
  return so_far;
}

}  // namespace transformeter
