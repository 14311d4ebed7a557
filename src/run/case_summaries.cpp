// One case in memory at a time.
#include "run/case_summaries.h"

#include <utility>
#include <vector>

#include "metrics/case_summary.h"

namespace transformeter {

void keep_summary(Store& store, const std::string& run_id, const std::string& case_id) {
  std::vector<CaseRecord> cases;
  RunQuery query;
  query.selector = run_id;
  query.case_id = case_id;
  query.detail = Detail::kSeries;
  store.visit(query, {[](RunRecord&&) {}, [&](CaseRecord&& one) { cases.push_back(std::move(one)); }});
  for (CaseRecord& one : cases) one.summary = summarize(one);
  store.keep_summaries(run_id, cases);
}

}  // namespace transformeter
