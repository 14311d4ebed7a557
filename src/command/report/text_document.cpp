// Line by line; an empty line stands after tables and between sections.
#include "report/text_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/column_text.h"
#include "report/display_text.h"
#include "report/document_text.h"

namespace transformeter {
namespace {

class TextWriter {
 public:
  explicit TextWriter(const TextOptions& options) : options_(options) {}

  void write(const Section& section) {
    if (!text_.empty()) text_ += "\n";
    if (!section.title.empty()) line(section.title);
    write(section.blocks);
  }

  void write(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (is_after_table_) text_ += "\n";
      is_after_table_ = false;
      if (!std::holds_alternative<Table>(block)) write_hidden();
      std::visit([this](const auto& one) { write_block(one); }, block);
    }
    write_hidden();
    is_after_table_ = false;
  }

  std::string take() { return std::move(text_); }

 private:
  // Indented by `indent`; further lines two deeper.
  void line(const std::string& words, std::size_t indent = 0) {
    text_.append(indent, ' ');
    text_ += (options_.width ? wrapped(words, *options_.width, indent + 2, indent) : one_line(words)) + "\n";
  }

  void write_block(const Paragraph& paragraph) { line(with_opening(paragraph.strong, paragraph.text)); }
  void write_block(const Facts& facts) { line(facts_text(facts)); }
  void write_block(const ChipRow& row) { line(chips_text(row)); }
  void write_block(const Figures&) {}

  void write_block(const List& list) {
    for (const Item& item : list.items) {
      line(with_opening(item.strong, item.text));
      for (const std::string& detail : item.details) line(detail, 2);
    }
  }

  void write_block(const Table& table) {
    if (!table.caption.empty()) line(table.caption);
    ColumnText columns = column_text(table.columns, options_.width, options_.has_colour);
    text_ += columns.text;
    for (std::string& heading : columns.left_out) hide(table.name, std::move(heading));
    for (const std::string& note : table.notes) line(note);
    is_after_table_ = true;
  }

  void write_block(const Code& code) {
    for (const std::string& each : split(code.text, '\n')) text_ += "  " + one_line(each) + "\n";
  }

  void write_block(const Fold& group) {
    line(group.summary);
    write(group.blocks);
  }

  void write_block(const SubSection& section) {
    line(section.chips.empty() ? section.title : chips_text({section.title, section.chips}));
    write(section.blocks);
  }

  // Tables of one name hide a heading once.
  void hide(const std::string& name, std::string heading) {
    auto of = std::find_if(hidden_.begin(), hidden_.end(), [&](const auto& one) { return one.first == name; });
    if (of == hidden_.end()) of = hidden_.insert(hidden_.end(), {name, {}});
    std::vector<std::string>& headings = of->second;
    if (std::find(headings.begin(), headings.end(), heading) == headings.end()) headings.push_back(std::move(heading));
  }

  void write_hidden() {
    for (const auto& [name, headings] : std::exchange(hidden_, {})) {
      line(fmt::format("hidden{} (terminal too narrow): {}; see {} markdown", name.empty() ? "" : " from " + name,
                       fmt::join(headings, ", "), options_.format_option));
    }
  }

  const TextOptions options_;
  std::string text_;
  std::vector<std::pair<std::string, std::vector<std::string>>> hidden_;  // headings, by the table's name
  bool is_after_table_ = false;
};

}  // namespace

std::string text_document(const Document& document, const TextOptions& options) {
  TextWriter writer(options);
  writer.write(document.lead);
  for (const Section& section : document.sections) writer.write(section);
  for (const Part& part : document.parts) {
    if (!part.title.empty() || !part.lead.empty()) writer.write(Section{"", part.title, part.lead});
    for (const Section& section : part.sections) writer.write(section);
  }
  for (const Section& section : document.closing) writer.write(section);
  return writer.take();
}

}  // namespace transformeter
