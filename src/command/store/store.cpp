// Whole runs in memory, gathered from a visit.
#include "store/store.h"

#include <utility>

namespace transformeter {
namespace {

std::vector<RunRecord> gather(Store& store, const RunQuery& query) {
  std::vector<RunRecord> runs;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) { runs.push_back(std::move(run)); };
  visitor.on_case = [&](CaseRecord&& one) { runs.back().cases.push_back(std::move(one)); };
  store.visit(query, visitor);
  return runs;
}

}  // namespace

std::vector<RunRecord> Store::list_runs() {
  RunQuery query;
  query.all = true;
  query.detail = Detail::kList;
  return gather(*this, query);
}

RunRecord Store::load_run(std::string_view selector, bool with_series) {
  RunQuery query;
  query.selector = selector;
  query.detail = with_series ? Detail::kSeries : Detail::kDocuments;
  return std::move(gather(*this, query).front());
}

}  // namespace transformeter
