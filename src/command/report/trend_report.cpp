// Changes first: most readers ask for nothing else.
#include "report/trend_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/gate.h"
#include "analysis/results.h"
#include "base/text.h"
#include "base/units.h"
#include "report/metric_text.h"
#include "schema/record.h"

namespace transformeter {
namespace {

std::string run_text(const RunRecord& run) {
  return run.name.empty() ? run.id : fmt::format("{} ({})", run.name, run.id);
}

// "+12.0 %, 10.0 ms → 11.2 ms with run nightly (2026...), 2026-11-28T...".
Item change_item(const TrendSeries& series, const TrendChange& change) {
  const TrendPoint& point = series.points[change.at];
  const std::string& unit = point.row.unit;
  Item item{fmt::format("{}, {} → {} with run {}, {}", change_text(change), format_quantity(change.before, unit),
                        format_quantity(change.after, unit), run_text(*point.run), point.run->started_at),
            series.label};
  item.details.push_back(change.changes.empty() ? "no known change of settings, workload, worker, libraries or machine"
                                                : fmt::format("changed: {}", fmt::join(change.changes, ", ")));
  item.details.push_back(fmt::format("p = {:.3g}, by shuffling runs", change.p_value));
  return item;
}

std::size_t change_count(const TrendReport& report) {
  std::size_t count = 0;
  for (const TrendSeries& series : report.series) count += series.changes.size();
  return count;
}

Table point_table(const TrendSeries& series) {
  Table table;
  table.columns = {{"run"}, {"started"}, {"value", true}, {"level", true}, {"change", true}, {"doubtful"}};
  std::size_t next = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const TrendPoint& point = series.points[i];
    const bool is_change = next < series.changes.size() && series.changes[next].at == i;
    if (is_change) ++next;
    const std::string level = next > 0                 ? format_quantity(series.changes[next - 1].after, point.row.unit)
                              : series.changes.empty() ? "-"
                                                       : format_quantity(series.changes[0].before, point.row.unit);
    add_row(table, {run_text(*point.run), point.run->started_at, value_text(&point.row), level,
                    is_change ? change_text(series.changes[next - 1]) : "-", point.is_doubtful ? "doubtful" : "-"});
  }
  drop_empty_columns(table);
  if (series.left_out > 0) {
    table.notes.push_back(
        fmt::format("{} left out: not ok, invalid or without a value", counted(series.left_out, "case")));
  }
  return table;
}

Json point_json(const TrendPoint& point) {
  return {{"run", point.run->id},
          {"name", point.run->name},
          {"started_at", point.run->started_at},
          {"case", point.record->id},
          {"value", *point.row.value},
          {"low", point.row.low ? Json(*point.row.low) : Json()},
          {"high", point.row.high ? Json(*point.row.high) : Json()},
          {"is_doubtful", point.is_doubtful}};
}

Json change_json(const TrendSeries& series, const TrendChange& change) {
  return {{"run", series.points[change.at].run->id},
          {"at", change.at},
          {"before", change.before},
          {"after", change.after},
          {"p_value", change.p_value},
          {"changes", change.changes}};
}

}  // namespace

std::string change_text(const TrendChange& change) {
  return change.before > 0 ? signed_share(change.after / change.before - 1) : "changed";
}

Document trend_document(const TrendReport& report) {
  Document document;
  document.title = fmt::format("{} over runs", report.options.metric.text());
  const std::size_t changes = change_count(report);
  const auto has_too_few = [](const TrendSeries& series) { return series.has_too_few; };
  const auto too_few = static_cast<std::size_t>(std::count_if(report.series.begin(), report.series.end(), has_too_few));
  std::string summary = fmt::format("{} in {} series over {}", changes == 0 ? "no change" : counted(changes, "change"),
                                    report.series.size() - too_few, counted(report.run_count, "run"));
  if (too_few > 0) {
    summary += fmt::format("; {} with fewer than {} runs, too few for a change at p ≤ {}",
                           too_few == 1 ? "one series" : fmt::format("{} series", too_few),
                           fewest_values(report.options.change.level), report.options.change.level);
  }
  document.lead.emplace_back(Paragraph{std::move(summary), report.options.metric.text()});
  List list;
  for (const TrendSeries& series : report.series) {
    for (const TrendChange& change : series.changes) list.items.push_back(change_item(series, change));
  }
  if (!list.items.empty()) document.sections.emplace_back(Section{"changes", "Changes", {}}).blocks.emplace_back(list);
  for (const TrendSeries& series : report.series) {
    Section& section = document.sections.emplace_back(Section{"", series.label, {}});
    section.blocks.emplace_back(point_table(series));
  }
  return document;
}

Json trend_json(const TrendReport& report) {
  Json all = Json::array();
  for (const TrendSeries& series : report.series) {
    Json points = Json::array();
    for (const TrendPoint& point : series.points) points.push_back(point_json(point));
    Json changes = Json::array();
    for (const TrendChange& change : series.changes) changes.push_back(change_json(series, change));
    all.push_back({{"series", series.label},
                   {"unit", series.points.empty() ? Json() : Json(series.points.front().row.unit)},
                   {"points", std::move(points)},
                   {"changes", std::move(changes)},
                   {"has_too_few", series.has_too_few},
                   {"left_out", series.left_out}});
  }
  return {{"schema_version", kResultSchemaVersion},
          {"metric", report.options.metric.metric},
          {"statistic", text_or_null(report.options.metric.statistic)},
          {"method", "E-divisive means, permutation test"},
          {"level", report.options.change.level},
          {"series", std::move(all)}};
}

}  // namespace transformeter
