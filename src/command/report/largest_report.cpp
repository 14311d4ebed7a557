// The answer in a sentence, then the trials.
#include "report/largest_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "schema/record.h"

namespace transformeter {
namespace {

// Why the next larger value does not run, or the last trial was unclear; empty: nothing stopped the search.
std::string why_no_more(const LargestReport& report) {
  if (report.changed) return fmt::format("{} ran once and did not once", *report.changed);
  for (auto row = report.rows.rbegin(); row != report.rows.rend(); ++row) {
    if (row->answer == "unclear" || (report.too_large && row->value == *report.too_large && !row->reason.empty())) {
      return row->reason;
    }
  }
  return "";
}

std::string answer_text(const LargestReport& report) {
  if (!report.is_resolved) {
    const std::string range = report.too_large ? fmt::format(" and below {}", *report.too_large) : std::string();
    return fmt::format("indeterminate: {}{}", report.fits ? fmt::format("at least {}", *report.fits) : "unknown",
                       range);
  }
  if (!report.fits) return fmt::format("none: {} is too large already", report.too_large.value_or(1));
  if (!report.too_large) {
    return fmt::format("{}, {}", *report.fits,
                       report.ends_at_positions ? "the most that the model's positions hold; memory is not the limit"
                                                : "the largest that was to be tried");
  }
  return fmt::format("{}", *report.fits);
}

std::string bytes_text(const std::optional<double>& bytes) {
  return bytes ? format_bytes(*bytes) : "-";
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

Document largest_document(const LargestReport& report) {
  Document document;
  document.title = fmt::format("Largest {}", report.axis);
  document.lead.emplace_back(
      Paragraph{fmt::format("{} ({})", answer_text(report), report.label), fmt::format("largest {}", report.axis)});
  if (const std::string why = why_no_more(report); !why.empty()) {
    document.lead.emplace_back(Paragraph{why, report.is_resolved ? "beyond it" : "unclear"});
  }
  if (report.limit) {
    document.lead.emplace_back(Paragraph{format_bytes(static_cast<double>(*report.limit)), "memory limit"});
  }
  if (report.fits) document.lead.emplace_back(Paragraph{report.command, "measure it"});
  Table table;
  table.columns = {{report.axis, true},       {"answer"}, {"forecast", true}, {"tensors", true},
                   {"resident memory", true}, {"status"}};
  for (const LargestReport::Row& row : report.rows) {
    add_row(table, {fmt::format("{}", row.value), row.answer, bytes_text(row.forecast), bytes_text(row.peak_allocated),
                    bytes_text(row.peak_rss), std::string(name_of(row.status))});
  }
  drop_empty_columns(table);
  document.sections.emplace_back(Section{"trials", "Trials", {}}).blocks.emplace_back(std::move(table));
  return document;
}

Json largest_json(const LargestReport& report) {
  Json trials = Json::array();
  for (const LargestReport::Row& row : report.rows) {
    trials.push_back({{"value", row.value},
                      {"answer", row.answer},
                      {"status", name_of(row.status)},
                      {"reason", row.reason.empty() ? Json() : Json(row.reason)},
                      {"forecast_bytes", number_or_null(row.forecast)},
                      {"peak_allocated_bytes", number_or_null(row.peak_allocated)},
                      {"peak_rss_bytes", number_or_null(row.peak_rss)}});
  }
  const std::string why = why_no_more(report);
  return {{"schema_version", kResultSchemaVersion},
          {"axis", report.axis},
          {"case", report.label},
          {"resolved", report.is_resolved},
          {"fits", report.fits ? Json(*report.fits) : Json()},
          {"changed", report.changed ? Json(*report.changed) : Json()},
          {"too_large", report.too_large ? Json(*report.too_large) : Json()},
          {"largest", report.largest},
          {"memory_limit_bytes", report.limit ? Json(*report.limit) : Json()},
          {"why", why.empty() ? Json() : Json(why)},
          {"trials", std::move(trials)}};
}

}  // namespace transformeter
