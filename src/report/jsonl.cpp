// The case is the same object as in the JSON format.
#include "report/jsonl.h"

#include "report/json_text.h"

namespace transformeter {

std::string results_jsonl(const std::vector<RunRecord>& runs, const ResultOptions& options) {
  std::string text;
  for (const RunRecord& run : runs) {
    const Json identity = {{"id", run.id}, {"name", run.name}, {"started_at", run.started_at}, {"host", run.host}};
    for (const CaseRecord& the_case : run.cases) {
      text.append(json_line(
          {{"schema_version", kResultSchemaVersion}, {"run", identity}, {"case", case_json(the_case, options)}}));
    }
  }
  return text;
}

}  // namespace transformeter
