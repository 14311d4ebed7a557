// The order is that of the runs' own data, not of their arrival, so that equal content gives equal files.
#include "store/export_jsonl.h"

#include <set>
#include <utility>

namespace transformeter {

std::vector<std::string> runs_in_export_order(Store& store, const std::vector<std::string>& selectors) {
  std::set<std::pair<std::string, std::string>> chosen;  // start and id
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) { chosen.emplace(std::move(run.started_at), std::move(run.id)); };
  visitor.on_case = [](CaseRecord&&) {};
  RunQuery query;
  query.detail = Detail::kList;
  query.all = selectors.empty();
  if (query.all) store.visit(query, visitor);
  for (const std::string& selector : selectors) {
    query.selector = selector;
    store.visit(query, visitor);
  }
  std::vector<std::string> ids;
  for (const auto& [start, id] : chosen) ids.push_back(id);
  return ids;
}

ExportCount export_jsonl(Store& store, const std::vector<std::string>& selectors, const Sink& sink) {
  ExportCount count;
  sink(header_line());
  for (const std::string& id : runs_in_export_order(store, selectors)) {
    RunVisitor visitor;
    visitor.on_run = [&](RunRecord&& run) {
      sink(run_line(run));
      ++count.runs;
    };
    visitor.on_case = [&](CaseRecord&& one) {
      sink(case_line(id, one));
      ++count.cases;
      for (const ReplicateRecord& replicate : one.replicates) sink(replicate_line(id, one.id, replicate));
      count.replicates += one.replicates.size();
    };
    RunQuery query;
    query.selector = id;
    query.detail = Detail::kSeries;
    store.visit(query, visitor);
  }
  sink(end_line(count));
  return count;
}

}  // namespace transformeter
