// What is missing is computed case by case, so that memory holds the samples of a single case.
#include "analysis/stored_runs.h"

#include <algorithm>
#include <utility>

#include "analysis/step_columns.h"
#include "metrics/case_summary.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

void summarize_in_place(CaseRecord& one) {
  one.summary = summarize(one);
  for (ReplicateRecord& replicate : one.replicates) replicate.series.clear();
}

}  // namespace

RunQuery query_for_analysis() {
  RunQuery query;
  query.detail = Detail::kDocuments;
  query.needs_series = [](const CaseRecord& one) { return !has_current_summary(one); };
  return query;
}

std::vector<std::string> selected_runs(Store& store, const std::vector<std::string>& selectors) {
  if (selectors.empty()) return {""};
  if (selectors.size() == 1) return selectors;
  std::vector<std::string> ids;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) {
    if (std::find(ids.begin(), ids.end(), run.id) == ids.end()) ids.push_back(std::move(run.id));
  };
  visitor.on_case = [](CaseRecord&&) {};
  RunQuery query;
  query.detail = Detail::kList;
  for (const std::string& selector : selectors) {
    query.selector = selector;
    store.visit(query, visitor);
  }
  return ids;
}

RunRecord load_analyzed_run(Store& store, std::string_view selector, const SeriesReader& reader) {
  RunRecord loaded;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) { loaded = std::move(run); };
  visitor.on_case = [&](CaseRecord&& one) {
    if (!has_current_summary(one)) one.summary = summarize(one);
    if (reader.wants(one)) reader.read(loaded, one);
    if (is_train(one.requested)) {
      keep_step_columns(one);
    } else {
      for (ReplicateRecord& replicate : one.replicates) replicate.series.clear();
    }
    loaded.cases.push_back(std::move(one));
  };
  RunQuery query = query_for_analysis();
  query.selector = selector;
  query.needs_series = [&](const CaseRecord& one) {
    return reader.wants(one) || is_train(one.requested) || !has_current_summary(one);
  };
  store.visit(query, visitor);
  return loaded;
}

std::size_t keep_missing_summaries(Store& store) {
  std::vector<RunRecord> missing;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) { missing.emplace_back().id = std::move(run.id); };
  visitor.on_case = [&](CaseRecord&& one) {
    if (has_current_summary(one) || one.replicates.empty()) return;
    summarize_in_place(one);
    one.requested = one.effective = one.launch = Json::object();  // not needed any more, and large
    missing.back().cases.push_back(std::move(one));
  };
  RunQuery query = query_for_analysis();
  query.all = true;
  store.visit(query, visitor);
  std::size_t count = 0;
  for (const RunRecord& run : missing) {
    if (!run.cases.empty()) store.keep_summaries(run.id, run.cases);
    count += run.cases.size();
  }
  return count;
}

}  // namespace transformeter
