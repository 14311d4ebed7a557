// The case is the same object as in the JSON format.
#include "report/jsonl.h"

#include "report/json_text.h"

namespace transformeter {

std::string jsonl_line(const RunRecord& run, const CaseRecord& the_case, const ResultOptions& options) {
  return json_line({{"schema_version", kResultSchemaVersion},
                    {"run", {{"id", run.id}, {"name", run.name}, {"started_at", run.started_at}, {"host", run.host}}},
                    {"case", case_json(the_case, options)}});
}

std::string results_jsonl(const std::vector<RunRecord>& runs, const ResultOptions& options) {
  std::string text;
  for (const RunRecord& run : runs) {
    for (const CaseRecord& the_case : run.cases) text.append(jsonl_line(run, the_case, options));
  }
  return text;
}

}  // namespace transformeter
