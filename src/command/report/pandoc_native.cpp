// Blocks as the constructors of pandoc's types; texts as Haskell's string literals.
#include "report/pandoc_native.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

constexpr const char* kNoAttributes = R"(("",[],[]))";

// `text` has no control characters but line breaks.
std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (c == '\n') {
      quoted.append("\\n");
    } else {
      quoted.push_back(c);
    }
  }
  return quoted.append("\"");
}

std::string inlines(std::string_view text) {
  return fmt::format("[Str {}]", literal(one_line(text)));
}

std::string joined_list(const std::vector<std::string>& elements) {
  return fmt::format("[{}]", fmt::join(elements, ","));
}

std::string header(int level, const std::string& title) {
  return fmt::format("Header {} {} {}", level, kNoAttributes, inlines(title));
}

std::string lines_block(const std::vector<std::string>& lines) {
  if (lines.size() == 1) return fmt::format("Para {}", inlines(lines.front()));
  std::vector<std::string> items;
  for (const std::string& line : lines) items.push_back(fmt::format("[Plain {}]", inlines(line)));
  return "BulletList " + joined_list(items);
}

std::string code_block(const std::string& code) {
  std::vector<std::string> lines;
  for (const std::string& line : split(code, '\n')) lines.push_back(one_line(line));
  return fmt::format("CodeBlock {} {}", kNoAttributes, literal(fmt::format("{}", fmt::join(lines, "\n"))));
}

std::string table_row(const std::vector<std::string>& cells) {
  std::vector<std::string> elements;
  for (const std::string& cell : cells) {
    elements.push_back(
        fmt::format("Cell {} AlignDefault (RowSpan 1) (ColSpan 1) [Plain {}]", kNoAttributes, inlines(cell)));
  }
  return fmt::format("Row {} {}", kNoAttributes, joined_list(elements));
}

std::string table_block(const SlideTable& table) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    columns.push_back(
        fmt::format("({},ColWidth {:.4f})", table.are_numbers[i] ? "AlignRight" : "AlignLeft", table.shares[i]));
  }
  std::vector<std::string> rows;
  for (const std::vector<std::string>& row : table.rows) rows.push_back(table_row(row));
  const std::string caption = table.note.empty() ? "[]" : fmt::format("[Plain {}]", inlines(table.note));
  return fmt::format(
      "Table {0} (Caption Nothing {1}) {2} (TableHead {0} [{3}]) [TableBody {0} (RowHeadColumns 0) [] {4}] "
      "(TableFoot {0} [])",
      kNoAttributes, caption, joined_list(columns), table_row(table.headings), joined_list(rows));
}

std::string picture_block(const Figure& figure, const std::string& file) {
  constexpr std::size_t kCaptionWidth = 160;  // three lines below a picture
  return fmt::format("Para [Image {} {} ({},\"\")]", kNoAttributes,
                     inlines(cut_to_columns(one_line(figure.note), kCaptionWidth)), literal(file));
}

std::string notes_block(const std::string& notes) {
  return fmt::format("Div (\"\",[\"notes\"],[]) [Para {}]", inlines(notes));
}

}  // namespace

std::string pandoc_native(const Deck& deck, PictureName picture_name) {
  std::vector<std::string> blocks;
  std::size_t pictures = 0;
  for (const Slide& slide : deck.slides) {
    if (slide.figure && picture_name == nullptr) continue;
    blocks.push_back(header(slide.is_heading ? 1 : 2, slide.title));
    if (!slide.lines.empty()) blocks.push_back(lines_block(slide.lines));
    if (slide.table) blocks.push_back(table_block(*slide.table));
    if (slide.figure) blocks.push_back(picture_block(*slide.figure, picture_name(pictures++)));
    if (!slide.code.empty()) blocks.push_back(code_block(slide.code));
    if (!slide.notes.empty()) blocks.push_back(notes_block(slide.notes));
  }
  std::vector<std::string> subtitle;
  for (const std::string& line : deck.subtitle) subtitle.push_back(fmt::format("Str {}", literal(one_line(line))));
  return fmt::format(
      "Pandoc (Meta {{unMeta = fromList [(\"subtitle\",MetaInlines [{}]),(\"title\",MetaInlines {})]}}) {}\n",
      fmt::join(subtitle, ",LineBreak,"), inlines(deck.title), joined_list(blocks));
}

}  // namespace transformeter
