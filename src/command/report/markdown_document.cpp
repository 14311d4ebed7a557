// Blocks with an empty line between them.
#include "report/markdown_document.h"

#include <fmt/format.h>

#include "report/document_text.h"
#include "report/markdown_text.h"

namespace transformeter {
namespace {

std::string markdown_heading(int level, const std::string& title) {
  return fmt::format("{} {}\n", std::string(static_cast<std::size_t>(level), '#'), escape_markdown(title));
}

std::string strong_text(const std::string& strong, const std::string& text) {
  return strong.empty() ? escape_markdown(text)
                        : fmt::format("**{}**: {}", escape_markdown(strong), escape_markdown(text));
}

std::string bullet_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + escape_markdown(line) + "\n";
  return text;
}

std::string table_rows(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns) text += " " + escape_markdown(column.heading) + " |";
  text += "\n|";
  for (const Column& column : table.columns) text += column.is_number ? "---:|" : "---|";
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    text += "\n|";
    for (const Column& column : table.columns) text += " " + escape_markdown(cell_text(column.cells[row])) + " |";
  }
  return text + "\n";
}

class MarkdownWriter {
 public:
  void heading(int level, const std::string& title) { add(markdown_heading(level, title)); }

  // `level` is that of headings below.
  void write(const std::vector<Block>& blocks, int level) {
    for (const Block& block : blocks) {
      std::visit([&](const auto& one) { write_block(one, level); }, block);
    }
  }

  void write(const Section& section, int level) {
    if (!section.title.empty()) heading(level, section.title);
    write(section.blocks, level + 1);
  }

  std::string take() { return std::move(text_); }

 private:
  void add(const std::string& block) {
    if (block.empty()) return;
    text_ += (text_.empty() ? "" : "\n") + block;
    ends_with_list_ = false;
  }

  // Lists that follow one another are one, since an empty line between its items would space them all.
  void add_list(const std::string& items) {
    if (items.empty()) return;
    text_ += (text_.empty() || ends_with_list_ ? "" : "\n") + items;
    ends_with_list_ = true;
  }

  void write_block(const Paragraph& paragraph, int) { add(strong_text(paragraph.strong, paragraph.text) + "\n"); }
  void write_block(const Facts& facts, int) { add(escape_markdown(facts_text(facts)) + "\n"); }
  void write_block(const ChipRow& row, int) { add(escape_markdown(chips_text(row)) + ".\n"); }
  void write_block(const Figures&, int) {}
  void write_block(const Code& code, int) { add(fenced(code.text)); }

  void write_block(const List& list, int) {
    std::string text;
    for (const Item& item : list.items) {
      text += "- " + strong_text(item.strong, item.text) + "\n";
      for (const std::string& detail : item.details) text += "  - " + escape_markdown(detail) + "\n";
    }
    add_list(text);
  }

  void write_block(const Table& table, int) {
    if (table.row_count() > 0) {
      if (!table.caption.empty()) add(escape_markdown(table.caption) + "\n");
      add(table_rows(table));
    }
    add_list(bullet_lines(table.notes));
  }

  void write_block(const Fold& group, int level) {
    add(fmt::format("**{}**\n", escape_markdown(group.summary)));
    write(group.blocks, level);
  }

  void write_block(const SubSection& section, int level) {
    heading(level, section.title);
    if (!section.chips.empty()) add(escape_markdown(chips_text({"", section.chips})) + "\n");
    write(section.blocks, level + 1);
  }

  std::string text_;
  bool ends_with_list_ = false;
};

}  // namespace

std::string markdown_document(const Document& document) {
  MarkdownWriter writer;
  if (!document.title.empty()) writer.heading(1, document.title);
  writer.write(document.lead, 2);
  for (const Section& section : document.sections) writer.write(section, 2);
  for (const Part& part : document.parts) {
    if (!part.title.empty()) writer.heading(2, part.title);
    writer.write(part.lead, 3);
    for (const Section& section : part.sections) writer.write(section, part.title.empty() ? 2 : 3);
  }
  for (const Section& section : document.closing) writer.write(section, 2);
  return writer.take();
}

}  // namespace transformeter
