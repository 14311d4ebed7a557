// Words in the place of layout.
#include "report/document_text.h"

#include <fmt/format.h>

#include <cmath>

#include "report/metric_text.h"

namespace transformeter {
namespace {

std::string figure_words(const CaseFigure& figure) {
  if (!figure.row) return "-";
  const MetricRow& row = *figure.row;
  const bool has_interval = row.low && row.high;
  if (figure.part == FigurePart::kInterval) return has_interval ? ends_text(row) : "-";
  if (!row.value || !std::isfinite(*row.value)) return "-";
  std::string value = figure_text(*row.value, row.unit);
  if (figure.part == FigurePart::kValue || !has_interval || reads_as_one(row)) return value;
  return fmt::format("{} ({})", value, ends_text(row));
}

std::string content_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.content)) return *text;
  if (const auto* texts = std::get_if<Texts>(&cell.content)) return fmt::format("{}", fmt::join(texts->texts, "; "));
  std::string text;
  for (const CaseFigure& figure : std::get<CaseFigures>(cell.content)) {
    text += (text.empty() ? "" : " → ") + figure_words(figure);
  }
  return text;
}

std::string joined(const std::vector<Chip>& chips) {
  std::string text;
  for (const Chip& chip : chips) text += (text.empty() ? "" : "; ") + chip.text;
  return text;
}

}  // namespace

std::string cell_text(const Cell& cell) {
  std::string text = content_text(cell);
  if (!cell.chips.empty()) text += (text.empty() ? "" : ": ") + joined(cell.chips);
  return cell.why.empty() ? text : fmt::format("{} ({})", text, cell.why);
}

std::string facts_text(const Facts& facts) {
  std::string text;
  for (const Fact& fact : facts.facts) {
    text += (text.empty() ? "" : ", ") + fact.name + (fact.name.empty() ? "" : " ") + cell_text(fact.value);
  }
  return with_opening(facts.opening, text) + ".";
}

std::string chips_text(const ChipRow& row) {
  return with_opening(row.label, joined(row.chips));
}

std::string with_opening(const std::string& strong, const std::string& text) {
  return strong.empty() ? text : strong + ": " + text;
}

}  // namespace transformeter
