// The first row is what most likely matters.
#include "report/run_difference_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "analysis/results.h"
#include "base/text.h"
#include "report/run_comparison_report.h"
#include "schema/record.h"

namespace transformeter {
namespace {

Table difference_table(const RunDifference& difference) {
  Table table;
  table.columns = {{"differs"}, {"before"}, {"after"}, {"cases"}, {.heading = "may act by", .may_be_left_out = true}};
  for (const Difference& one : difference.differences) {
    const CauseTerm& term = cause_term(one.cause);
    add_row(table,
            {one.name, one.before, one.after, one.cases.empty() ? "-" : fmt::format("{}", fmt::join(one.cases, ", ")),
             fmt::format("{}: {}", term.name, term.why)});
  }
  drop_empty_columns(table);
  if (table.row_count() > 1)
    table.notes.emplace_back("ordered by likely effect; which of them changed a result is not known");
  return table;
}

std::string summary_of(const RunDifference& difference) {
  const std::size_t count = difference.differences.size();
  if (count == 0) return "no known difference in settings, workload, worker, libraries or machine";
  return fmt::format("{}; most likely to matter: {}", counted(count, "difference"),
                     difference.differences.front().text());
}

Json selected_json(const RunSelection& side) {
  Json json = run_name_json(*side.run);
  json["selection"] = side.name;
  return json;
}

}  // namespace

Document run_difference_document(const RunDifference& difference) {
  Document document;
  if (difference.results) document = run_comparison_document(*difference.results);
  document.title = fmt::format("{} and {}", difference.before.name, difference.after.name);
  const Paragraph summary{summary_of(difference), "differs"};
  document.lead.insert(document.lead.begin(), summary);
  if (!difference.results) document.lead.emplace_back(Paragraph{difference.why_no_results, "not compared", true});
  if (difference.differences.empty()) return document;
  Section section{"differences", "Differences", {}};
  section.blocks.emplace_back(difference_table(difference));
  document.sections.insert(document.sections.begin(), std::move(section));
  return document;
}

Json run_difference_json(const RunDifference& difference) {
  Json differences = Json::array();
  for (const Difference& one : difference.differences) {
    const CauseTerm& term = cause_term(one.cause);
    differences.push_back({{"cause", term.name},
                           {"name", one.name},
                           {"before", one.before},
                           {"after", one.after},
                           {"cases", one.cases},
                           {"why", term.why}});
  }
  return {{"schema_version", kResultSchemaVersion},
          {"before", selected_json(difference.before)},
          {"after", selected_json(difference.after)},
          {"differences", std::move(differences)},
          {"results", difference.results ? run_comparison_json(*difference.results) : Json()},
          {"why_no_results", text_or_null(difference.why_no_results)}};
}

}  // namespace transformeter
