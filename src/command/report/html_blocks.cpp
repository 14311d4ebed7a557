// A function for each kind of block.
#include "report/html_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html_table.h"
#include "report/html_text.h"
#include "report/plot_colours.h"
#include "report/svg.h"

namespace transformeter {
namespace {

constexpr std::size_t kShownItems = 10;    // of a list before the rest is folded
constexpr std::size_t kPrintedItems = 40;  // on paper before the rest is counted

std::string strong_html(const std::string& strong, const std::string& text) {
  return strong.empty() ? escape_html(text)
                        : fmt::format("<strong>{}</strong>: {}", escape_html(strong), escape_html(text));
}

std::string items_html(const Item* begin, const Item* end, std::string_view attributes = "") {
  if (begin == end) return "";
  std::string text = fmt::format("<ul{}>\n", attributes);
  for (const Item* item = begin; item != end; ++item) {
    text += "<li>" + strong_html(item->strong, item->text);
    if (!item->details.empty()) {
      text += "<ul>";
      for (const std::string& detail : item->details) text += "<li>" + escape_html(detail) + "</li>";
      text += "</ul>";
    }
    text += "</li>\n";
  }
  return text + "</ul>\n";
}

std::string fold_html(const std::string& summary, const std::string& html, Medium medium) {
  return is_paper(medium) ? fmt::format("<p class=\"opened\">{}</p>\n{}", escape_html(summary), html)
                          : fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_html(summary), html);
}

// A list of hundreds, of which only the beginning is worth the paper.
std::string printed_list(const List& list, const Item* lead, const Item* end) {
  const Item* const cut = static_cast<std::size_t>(end - lead) > kPrintedItems + 2 ? lead + kPrintedItems : end;
  std::string text = items_html(list.items.data(), lead, " class=\"lead\"") + items_html(lead, cut);
  if (cut == end) return text;
  return text + fmt::format("<p class=\"soft\">{} {}, which the HTML report names.</p>\n", end - cut,
                            escape_html(list.folded));
}

std::string list_html(const List& list, Medium medium) {
  const Item* const end = list.items.data() + list.items.size();
  const Item* const lead = list.items.data() + std::min(list.lead_count, list.items.size());
  if (is_paper(medium)) return printed_list(list, lead, end);
  const auto others = static_cast<std::size_t>(end - lead);
  const Item* const fold = others > kShownItems + 2 ? lead + kShownItems : end;
  std::string text = items_html(list.items.data(), lead, " class=\"lead\"") + items_html(lead, fold);
  if (fold == end) return text;
  return text + fold_html(fmt::format("{} {}", end - fold, list.folded), items_html(fold, end), medium);
}

std::string swatch(const LegendEntry& entry) {
  const auto role = static_cast<std::size_t>(entry.role);
  return fmt::format(
      "<svg viewBox=\"0 0 30 12\" aria-hidden=\"true\"><path d=\"M1,6 H29\" fill=\"none\" stroke=\"{0}\" "
      "class=\"s{1}\" "
      "stroke-width=\"2.4\"{2}/><circle cx=\"15\" cy=\"6\" r=\"3.6\" fill=\"{0}\" class=\"f{1}\"/></svg>",
      kPlotColours[role].light, role, entry.is_dashed ? " stroke-dasharray=\"6,3\"" : "");
}

std::string legend_html(const Figure& figure) {
  if (figure.legend.empty()) return "";
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry& entry : figure.legend) text += "<li>" + swatch(entry) + isolated(entry.label) + "</li>";
  return text + "</ul>";
}

std::string plot_html(const DrawnFigure& drawn, Medium medium) {
  if (!is_paper(medium)) return drawn.svg;
  return fmt::format("<img class=\"plot\" alt=\"{}\" src=\"{}\">", escape_html(drawn.figure.description),
                     image_source(drawn.svg));
}

std::string drawn_html(const DrawnFigure& drawn, int level, Medium medium) {
  if (drawn.svg.empty()) return "";
  return fmt::format("<figure id=\"{}\">{}{}{}<figcaption>{}</figcaption></figure>\n", escape_html(drawn.id),
                     heading_html(level, escape_html(drawn.figure.title)), plot_html(drawn, medium),
                     legend_html(drawn.figure), escape_html(drawn.figure.note));
}

struct BlockWriter {
  const std::string& prefix;
  int level;
  Medium medium;

  std::string operator()(const Paragraph& paragraph) const {
    return fmt::format("<p{}>{}</p>\n", paragraph.is_notice ? " class=\"notice\"" : "",
                       strong_html(paragraph.strong, paragraph.text));
  }

  std::string operator()(const Facts& facts) const {
    std::string text;
    for (const Fact& fact : facts.facts) {
      const std::string name = fact.name.empty() ? "" : escape_html(fact.name) + " ";
      text += (text.empty() ? "" : ", ") + name + cell_html(fact.value, medium);
    }
    const std::string opening = facts.opening.empty() ? "" : escape_html(facts.opening) + ": ";
    return fmt::format("<p class=\"about\">{}{}.</p>\n", opening, text);
  }

  std::string operator()(const List& list) const { return list_html(list, medium); }
  std::string operator()(const Table& table) const { return table_html(table, medium); }

  std::string operator()(const ChipRow& row) const {
    std::string text = fmt::format("<ul class=\"chips\" aria-label=\"{}\">", escape_html(row.label));
    for (const Chip& chip : row.chips) text += "<li>" + chips_html({chip}) + "</li>";
    return text + "</ul>\n";
  }

  // Side by side where the page is wide.
  std::string operator()(const Figures& figures) const {
    std::string text;
    for (const DrawnFigure& drawn : figures.figures) text += drawn_html(drawn, level, medium);
    return text.empty() ? "" : "<div class=\"figures\">\n" + text + "</div>\n";
  }

  std::string operator()(const Code& code) const {
    return "<pre tabindex=\"0\"><code>" + escape_html_lines(code.text) + "</code></pre>\n";
  }

  std::string operator()(const Fold& group) const {
    std::string text;
    for (const Block& block : group.blocks) text += std::visit(*this, block);
    if (text.empty()) return "";
    return fold_html(group.summary, text, medium);
  }

  std::string operator()(const SubSection& section) const {
    std::string title = isolated(section.title);
    if (!section.chips.empty()) title += " " + chips_html(section.chips);
    return fmt::format("<section class=\"sub\" id=\"{}\">\n{}{}</section>\n", escape_html(prefix + section.id),
                       heading_html(level, title), blocks_html(section.blocks, prefix, level + 1, medium));
  }
};

}  // namespace

std::string heading_html(int level, std::string_view html) {
  return fmt::format("<h{0}>{1}</h{0}>\n", level, html);
}

std::string blocks_html(const std::vector<Block>& blocks, const std::string& prefix, int level, Medium medium) {
  std::string text;
  bool is_in_card = false;  // lists that follow one another share a card
  for (const Block& block : blocks) {
    const bool is_list = std::holds_alternative<List>(block);
    if (is_list != is_in_card) text += is_list ? "<div class=\"card\">\n" : "</div>\n";
    is_in_card = is_list;
    text += std::visit(BlockWriter{prefix, level, medium}, block);
  }
  return is_in_card ? text + "</div>\n" : text;
}

}  // namespace transformeter
