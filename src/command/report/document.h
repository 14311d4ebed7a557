// A report as plain values: what it says, not how it looks. Sections make one; renderers show it and know no section.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

// All texts are plain, and may hold what users named: renderers escape them.

/// What a chip's colour says beside its words.
enum class Tone { kNeutral, kPending, kGood, kWarn, kBad };

struct Chip {
  std::string text;
  Tone tone = Tone::kNeutral;
};

enum class FigurePart { kAll, kValue, kInterval };  // kAll: the value, and its interval where it has one

/// A metric of a case. Renderers choose its text; those that can keep its value in full precision do.
struct CaseFigure {
  std::string case_id;
  std::optional<MetricRow> row;  // none: a dash
  FigurePart part = FigurePart::kAll;
};

/// `row` may be null.
CaseFigure case_figure(const AnalyzedCase& one, const MetricRow* row, FigurePart part = FigurePart::kAll);

/// Separate things, such as cases; many may be folded under their count.
struct Texts {
  std::vector<std::string> texts;
  std::string noun = "cases";
};

using CaseFigures = std::vector<CaseFigure>;  // with arrows between them: from, to

/// What a table holds at one place.
struct Cell {
  Cell() = default;
  Cell(std::string text) : content(std::move(text)) {}    // NOLINT(google-explicit-constructor): most cells are texts
  Cell(const char* text) : content(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Cell(CaseFigure figure) : content(CaseFigures{std::move(figure)}) {}  // NOLINT(google-explicit-constructor)

  std::variant<std::string, Texts, CaseFigures> content;
  std::vector<Chip> chips;  // after the content
  std::string why;          // a small line below: why the chip, or whose figure
  std::string link;         // id of the part that it leads to
  std::string run;          // id of the run whose figures it holds; empty: the part's
};

struct Column {
  std::string heading;
  bool is_number = false;        // aligned right
  bool is_wide = false;          // of long texts
  bool may_be_left_out = false;  // where the width does not allow it
  std::vector<Cell> cells = {};  // one per row
};

/// Its first column names the rows.
struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::string> notes;  // sentences directly below it
  std::string name;                // tells which table columns are hidden from, where there are several

  std::size_t row_count() const { return columns.empty() ? 0 : columns.front().cells.size(); }
};

/// A cell for each column.
void add_row(Table& table, std::vector<Cell> cells);

/// Drops each column but the first in which every cell is empty or a dash; returns their headings.
std::vector<std::string> drop_empty_columns(Table& table);

struct Paragraph {
  std::string text;
  std::string strong = "";  // begins it, before a colon
  bool is_notice = false;   // a warning, not to be overlooked
};

/// "Same in all cases: model bert-base, task masked_lm.": names and what users or cases have there.
struct Fact {
  std::string name;  // may be empty
  Cell value;
};
struct Facts {
  std::string opening;  // before a colon; may be empty
  std::vector<Fact> facts;
};

struct Item {
  std::string text;
  std::string strong = "";                // begins it, before a colon
  std::vector<std::string> details = {};  // lines under it
};

/// Sentences, one under the other.
struct List {
  std::vector<Item> items;
  std::size_t lead_count = 0;   // so many, the first, matter most
  std::string folded = "more";  // what the items are that a long list folds: "more sentences"
};

List list_of(const std::vector<std::string>& lines, std::string folded = "more");

struct ChipRow {
  std::string label;  // of the whole
  std::vector<Chip> chips;
};

/// A figure and its SVG, which is empty until it is drawn, and where it cannot be.
struct DrawnFigure {
  Figure figure;
  std::string id = "";  // unique in the document once drawn
  std::string svg = "";
};

struct Figures {
  std::vector<DrawnFigure> figures;
};

/// Of several Figures, in their order.
Figures figures_of(std::vector<Figure> figures);

/// Lines to be copied as they are.
struct Code {
  std::string text;
};

struct Block;

/// Details that a page folds under their summary.
struct Fold {
  std::string summary;
  std::vector<Block> blocks;
};

struct SubSection {
  std::string id;  // unique in its part
  std::string title;
  std::vector<Chip> chips;  // beside the title
  std::vector<Block> blocks;
};

struct Block : std::variant<Paragraph, Facts, List, ChipRow, Table, Figures, Code, Fold, SubSection> {
  using variant::variant;
};

struct Section {
  std::string id;     // unique in its part
  std::string title;  // empty: stands for itself, such as closing lines
  std::vector<Block> blocks;
};

/// What is about one run.
struct Part {
  std::string id;     // unique in the document
  std::string run;    // id of the run whose figures it holds
  std::string title;  // empty: the document's says it
  std::vector<Block> lead;
  std::vector<Section> sections;
};

struct Document {
  std::string title;
  std::vector<Block> lead;
  std::vector<Section> sections;  // before the parts
  std::vector<Part> parts;
  std::vector<Section> closing;  // after the parts, about all of them
};

}  // namespace transformeter
