// Strings of elements.
#include "report/html_table.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "report/html_text.h"
#include "report/metric_text.h"
#include "report/paper_columns.h"

namespace transformeter {
namespace {

std::string_view class_of(const Column& column) {
  return column.is_number ? " class=\"n\"" : column.is_wide ? " class=\"wide\"" : "";
}

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::kNeutral:
    case Tone::kPending:
      return "";
    case Tone::kGood:
      return " good";
    case Tone::kWarn:
      return " warn";
    case Tone::kBad:
      return " bad";
  }
  return "";
}

// `part` is value, low or high.
std::string data_html(const CaseFigure& figure, std::string_view part, const std::optional<double>& value,
                      Medium medium) {
  if (!value || !std::isfinite(*value)) return "-";
  const MetricRow& row = *figure.row;
  if (is_paper(medium)) return escape_html(figure_text(*value, row.unit));
  return fmt::format(
      "<data value=\"{}\" data-case=\"{}\" data-metric=\"{}\" data-statistic=\"{}\" data-part=\"{}\">{}</data>", *value,
      escape_html(figure.case_id), row.name, row.statistic, part, escape_html(figure_text(*value, row.unit)));
}

// One end where both read the same.
std::string interval_html(const CaseFigure& figure, Medium medium) {
  const MetricRow& row = *figure.row;
  if (!row.low || !row.high) return "-";
  std::string low = data_html(figure, "low", row.low, medium);
  return reads_as_one(row) ? low : low + " to " + data_html(figure, "high", row.high, medium);
}

std::string figure_html(const CaseFigure& figure, Medium medium) {
  if (!figure.row) return "-";
  if (figure.part == FigurePart::kInterval) return interval_html(figure, medium);
  const MetricRow& row = *figure.row;
  std::string value = data_html(figure, "value", row.value, medium);
  const bool has_interval = row.value && row.low && row.high && !reads_as_one(row);
  if (figure.part == FigurePart::kValue || !has_interval) return value;
  return value + fmt::format("<span class=\"interval\">{}</span>", interval_html(figure, medium));
}

std::string joined(std::span<const std::string> texts) {
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : "; ") + isolated(each);
  return text;
}

std::string texts_html(const Texts& texts, Medium medium) {
  const std::span all(texts.texts);
  if (all.size() <= kMaxNamed) return joined(all);
  if (is_paper(medium)) {
    return fmt::format("{}; and {} more {}", joined(all.first(kMaxNamed)), all.size() - kMaxNamed,
                       escape_html(texts.noun));
  }
  return fmt::format("<details><summary>{} {}</summary>{}</details>", all.size(), escape_html(texts.noun), joined(all));
}

std::string content_html(const Cell& cell, Medium medium) {
  if (const auto* text = std::get_if<std::string>(&cell.content)) return text->empty() ? "" : isolated(*text);
  if (const auto* texts = std::get_if<Texts>(&cell.content)) return texts_html(*texts, medium);
  std::string text;
  for (const CaseFigure& figure : std::get<CaseFigures>(cell.content)) {
    text += (text.empty() ? "" : " → ") + figure_html(figure, medium);
  }
  return text;
}

std::string rows_html(const Table& table, Medium medium) {
  std::string text;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    text += "<tr>";
    for (const Column& column : table.columns) {
      const bool is_first = &column == &table.columns.front();
      const std::string_view tag = is_first ? "th" : "td";
      text += fmt::format("<{0}{1}{2}>{3}</{0}>", tag, is_first ? " scope=\"row\"" : "", class_of(column),
                          cell_html(column.cells[row], medium));
    }
    text += "</tr>\n";
  }
  return text;
}

std::string caption_html(const Table& table) {
  return fmt::format("<caption><span>{}</span></caption>", escape_html(table.caption));
}

// The table's class and its columns.
std::string paper_start(const Table& table, Medium paper) {
  const PaperColumns columns = paper_columns(table, paper);
  std::string text = columns.is_dense ? "<table class=\"dense\">" : "<table>";
  std::string group;
  for (const double share : columns.shares) group += fmt::format("<col style=\"width:{:.2f}%\">", share);
  return fmt::format("{}{}<colgroup>{}</colgroup>", text, caption_html(table), group);
}

}  // namespace

std::string chips_html(const std::vector<Chip>& chips) {
  std::vector<std::string> elements;
  for (const Chip& chip : chips) {
    elements.push_back(fmt::format("<span class=\"chip{}\">{}</span>", class_of(chip.tone), escape_html(chip.text)));
  }
  return fmt::format("{}", fmt::join(elements, " "));
}

std::string cell_html(const Cell& cell, Medium medium) {
  std::string text = content_html(cell, medium);
  if (!cell.link.empty()) text = fmt::format("<a href=\"#{}\">{}</a>", escape_html(cell.link), text);
  if (!text.empty() && !cell.chips.empty()) text += "<br>";
  text += chips_html(cell.chips);
  if (!cell.why.empty()) text += "<span class=\"why\">" + isolated(cell.why) + "</span>";
  return cell.run.empty() ? text : fmt::format("<div data-run=\"{}\">{}</div>", escape_html(cell.run), text);
}

std::string table_html(const Table& table, Medium medium) {
  std::string text;
  if (table.row_count() > 0) {
    text = fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}<thead><tr>",
                       escape_html(table.caption),
                       is_paper(medium) ? paper_start(table, medium) : "<table>" + caption_html(table));
    for (const Column& column : table.columns) {
      text += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"n\"" : "",
                          escape_html(column.heading));
    }
    text += "</tr></thead><tbody>\n" + rows_html(table, medium) + "</tbody></table></div>\n";
  }
  for (const std::string& note : table.notes) text += "<p class=\"soft\">" + escape_html(note) + "</p>\n";
  return text;
}

}  // namespace transformeter
