#include "run/case_summaries.h"

#include <iterator>
#include <utility>
#include <vector>

#include "metrics/case_summary.h"
#include "metrics/latency_metrics.h"
#include "metrics/verdict_rules.h"

namespace transformeter {
namespace {

std::vector<CaseRecord> stored_case(Store& store, const std::string& run_id, const std::string& case_id) {
  std::vector<CaseRecord> cases;  // one, or none
  RunQuery query;
  query.selector = run_id;
  query.case_id = case_id;
  query.detail = Detail::kSeries;
  store.visit(query, {[](RunRecord&&) {}, [&](CaseRecord&& one) { cases.push_back(std::move(one)); }});
  return cases;
}

}  // namespace

std::vector<ReplicateRecord> stored_replicates(Store& store, const std::string& run_id, const std::string& case_id) {
  std::vector<ReplicateRecord> replicates;
  for (CaseRecord& one : stored_case(store, run_id, case_id)) {
    std::move(one.replicates.begin(), one.replicates.end(), std::back_inserter(replicates));
  }
  return replicates;
}

CaseSoFar keep_summary(Store& store, const std::string& run_id, CaseRecord& the_case) {
  the_case.summary = summarize(the_case);
  CaseAnalysis analysis = analysis_of(the_case, MetricRows::kHeadlines);
  CaseRecord kept;  // without series
  kept.id = the_case.id;
  kept.summary = the_case.summary;
  kept.replicates.resize(the_case.replicates.size());
  store.keep_summaries(run_id, {std::move(kept)});
  CaseSoFar so_far;
  if (const MetricRow* row = headline(analysis.metrics)) {
    so_far.half_width = headline_half_width(analysis.metrics);
    so_far.shown_half_width = relative_half_width(*row);
    so_far.is_over_slices = is_over_slices(row->interval);
  }
  so_far.slices = std::move(analysis.slices);
  return so_far;
}

void keep_summary_again(Store& store, const std::string& run_id, const std::string& case_id) {
  for (CaseRecord& one : stored_case(store, run_id, case_id)) keep_summary(store, run_id, one);
}

}  // namespace transformeter
