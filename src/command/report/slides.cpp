// Sizes are those of pandoc's own slides, 16:9.
#include "report/slides.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/display_text.h"
#include "report/document_text.h"
#include "report/slide_table.h"

namespace transformeter {
namespace {

constexpr std::size_t kLineWidth = 55;  // of a slide's text, in characters
constexpr std::size_t kSlideLines = 8;
constexpr std::size_t kMessages = 6;         // on a slide
constexpr std::size_t kSlidesOfOneList = 3;  // beside those of its first sentences

std::size_t lines_of(const std::string& text) {
  return 1 + display_width(text) / kLineWidth;
}

// "STRONG: TEXT", and its details behind it.
std::string item_text(const Item& item) {
  std::string text = with_opening(item.strong, item.text);
  for (const std::string& detail : item.details) text += "; " + detail;
  return text;
}

class SlideWriter {
 public:
  explicit SlideWriter(std::vector<Slide>& slides) : slides_(slides) {}

  void write(const std::string& title, const std::vector<Block>& blocks) {
    title_ = title;
    for (const Block& block : blocks) {
      std::visit([&](const auto& one) { write_block(one); }, block);
    }
    end_lines();
  }

 private:
  void write_block(const Paragraph& paragraph) { add_line(with_opening(paragraph.strong, paragraph.text)); }
  void write_block(const Facts& facts) { add_line(facts_text(facts)); }
  void write_block(const ChipRow& row) { add_line(chips_text(row) + "."); }
  void write_block(const Fold&) {}

  // The titles of its slides name it too.
  void write_block(const SubSection& section) {
    end_lines();
    const std::string outer = title_;
    write(fmt::format("{}: {}", outer, section.title), section.blocks);
    title_ = outer;
  }

  void write_block(const List& list) {
    const std::size_t lead = std::min(list.lead_count, list.items.size());
    for (std::size_t i = 0; i < lead; ++i) {
      if (i > 0) end_lines();  // the first stands with what introduces it
      add_line(item_text(list.items[i]));
    }
    if (lead > 0) end_lines();
    const std::size_t end = slides_.size() + kSlidesOfOneList;
    for (std::size_t i = lead; i < list.items.size(); ++i) {
      if (slides_.size() >= end) {
        add_line(fmt::format("{} {}: in the HTML report.", list.items.size() - i, list.folded));
        return;
      }
      add_line(item_text(list.items[i]));
    }
  }

  void write_block(const Table& table) {
    if (table.row_count() == 0) return;
    Slide slide = new_slide();
    slide.table = slide_table(table);
    slide.notes = table.caption;
    for (const std::string& note : table.notes) slide.notes += (slide.notes.empty() ? "" : " ") + note;
    slides_.push_back(std::move(slide));
  }

  void write_block(const Figures& figures) {
    for (const DrawnFigure& drawn : figures.figures) {
      Slide slide = new_slide();
      slide.title = drawn.figure.title;
      slide.notes = drawn.figure.note + " " + drawn.figure.description;
      slide.figure = drawn.figure;
      slides_.push_back(std::move(slide));
    }
  }

  void write_block(const Code& code) {
    Slide slide = new_slide();
    slide.code = excerpt(code.text, kSlideLines * kLineWidth);
    if (slide.code != code.text) slide.notes = code.text;
    slides_.push_back(std::move(slide));
  }

  Slide new_slide() {
    end_lines();
    Slide slide;
    slide.title = title_;
    return slide;
  }

  void add_line(const std::string& line) {
    if (line.empty()) return;
    std::string shown = excerpt(line, kSlideLines * kLineWidth);
    if (!pending_.lines.empty() &&
        (pending_.lines.size() >= kMessages || used_lines_ + lines_of(shown) > kSlideLines)) {
      end_lines();
    }
    used_lines_ += lines_of(shown);
    if (shown != line) pending_.notes += (pending_.notes.empty() ? "" : " ") + line;
    pending_.lines.push_back(std::move(shown));
  }

  void end_lines() {
    if (!pending_.lines.empty()) {
      pending_.title = title_;
      slides_.push_back(std::exchange(pending_, {}));
    }
    used_lines_ = 0;
  }

  std::vector<Slide>& slides_;
  std::string title_;
  Slide pending_;
  std::size_t used_lines_ = 0;
};

void add_sections(std::vector<Slide>& slides, const std::vector<Section>& sections) {
  for (const Section& section : sections) SlideWriter(slides).write(section.title, section.blocks);
}

// The first facts say which run it is, and where it ran.
void add_lead(Deck& deck, const std::vector<Block>& lead) {
  constexpr std::size_t kSubtitles = 2;
  std::vector<Block> rest;
  for (const Block& block : lead) {
    const auto* facts = std::get_if<Facts>(&block);
    if (facts != nullptr && deck.subtitle.size() < kSubtitles) {
      deck.subtitle.push_back(facts_text(*facts));
    } else {
      rest.push_back(block);
    }
  }
  SlideWriter(deck.slides).write("About this report", rest);
}

}  // namespace

Deck slides_of(const Document& document) {
  Deck deck;
  deck.title = document.title;
  add_lead(deck, document.lead);
  add_sections(deck.slides, document.sections);
  for (const Part& part : document.parts) {
    if (!part.title.empty()) {
      Slide heading;
      heading.title = part.title;
      heading.is_heading = true;
      deck.slides.push_back(std::move(heading));
      SlideWriter(deck.slides).write("About this run", part.lead);
    }
    add_sections(deck.slides, part.sections);
  }
  add_sections(deck.slides, document.closing);
  return deck;
}

}  // namespace transformeter
