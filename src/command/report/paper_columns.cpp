// In characters of the table's type.
#include "report/paper_columns.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.h"
#include "report/display_text.h"
#include "report/document_text.h"

namespace transformeter {
namespace {

// Of digits and small letters in 8 pt DejaVu Sans, which is wider than most, on A4 with margins of 15 mm.
constexpr double kPortrait = 108;
constexpr double kLandscape = 162;
constexpr double kPadding = 3;      // of a cell
constexpr double kWidestText = 48;  // a longer text is broken into lines
constexpr double kWidestWord = 24;  // a longer one is broken
constexpr double kWidestNote = 30;  // below a cell's content

struct Width {
  double wanted = 0;
  double least = 0;

  void include(const Width& other) {
    wanted = std::max(wanted, other.wanted);
    least = std::max(least, other.least);
  }
};

Width text_width(const std::string& text, double widest) {
  Width width;
  const auto all = static_cast<double>(display_width(one_line(text)));
  width.wanted = std::min(all, widest);
  for (const std::string& word : split(text, ' ')) {
    width.least = std::max(width.least, std::min(static_cast<double>(display_width(word)), kWidestWord));
  }
  return width;
}

Width unbroken(const std::string& text) {
  const auto all = static_cast<double>(display_width(text));
  return {all, all};
}

// Values stand above their intervals.
Width figures_width(const CaseFigures& figures) {
  Width width;
  double values = 0;
  for (CaseFigure figure : figures) {
    if (figure.part == FigurePart::kAll) {
      figure.part = FigurePart::kInterval;
      width.include(unbroken(cell_text(figure)));
      figure.part = FigurePart::kValue;
    }
    values += static_cast<double>(display_width(cell_text(figure))) + (values > 0 ? 3 : 0);
  }
  width.include({values, values});
  return width;
}

Width cell_width(const Cell& cell) {
  Width width;
  if (const auto* text = std::get_if<std::string>(&cell.content)) {
    width = text_width(*text, kWidestText);
  } else if (const auto* texts = std::get_if<Texts>(&cell.content)) {
    for (const std::string& each : texts->texts) width.include(text_width(each, kWidestText));
  } else {
    width = figures_width(std::get<CaseFigures>(cell.content));
  }
  for (const Chip& chip : cell.chips) {
    Width of_chip = unbroken(chip.text);
    of_chip.wanted += 2;
    of_chip.least += 2;
    width.include(of_chip);
  }
  width.include(text_width(cell.why, kWidestNote));
  return width;
}

Width column_width(const Column& column) {
  Width width = text_width(column.heading, kWidestNote);
  width.wanted = width.least;  // headings are broken into words
  for (const Cell& cell : column.cells) width.include(cell_width(cell));
  return {width.wanted + kPadding, width.least + kPadding};
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct ColumnWidths {
  std::vector<double> wanted;
  std::vector<double> least;
};

ColumnWidths column_widths(const Table& table) {
  ColumnWidths widths;
  for (const Column& column : table.columns) {
    const Width width = column_width(column);
    widths.wanted.push_back(width.wanted);
    widths.least.push_back(width.least);
  }
  return widths;
}

bool is_wide(const std::vector<Block>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    if (const auto* fold = std::get_if<Fold>(&block)) return is_wide(fold->blocks);
    if (const auto* section = std::get_if<SubSection>(&block)) return is_wide(section->blocks);
    const auto* table = std::get_if<Table>(&block);
    return table != nullptr && table->row_count() > 0 && sum(column_widths(*table).least) > kPortrait;
  });
}

bool is_wide(const std::vector<Section>& sections) {
  return std::any_of(sections.begin(), sections.end(), [](const Section& section) { return is_wide(section.blocks); });
}

}  // namespace

PaperColumns paper_columns(const Table& table, Medium paper) {
  const ColumnWidths columns = column_widths(table);
  const double least = sum(columns.least);
  const double room = paper == Medium::kLandscapePaper ? kLandscape : kPortrait;
  const double spare = sum(columns.wanted) - least;
  const double part = spare > 0 ? std::clamp((room - least) / spare, 0.0, 1.0) : 0;
  PaperColumns shared;
  shared.is_dense = least > room;
  const double all = least + part * spare;
  for (std::size_t i = 0; i < columns.least.size(); ++i) {
    shared.shares.push_back(100 / all * (columns.least[i] + part * (columns.wanted[i] - columns.least[i])));
  }
  return shared;
}

Medium paper_for(const Document& document) {
  const bool is_wide_document = is_wide(document.sections) || is_wide(document.closing) ||
                                std::any_of(document.parts.begin(), document.parts.end(),
                                            [](const Part& part) { return is_wide(part.sections); });
  return is_wide_document ? Medium::kLandscapePaper : Medium::kPortraitPaper;
}

}  // namespace transformeter
