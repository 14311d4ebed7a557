// GPT-2's pieces are found by masks, 64 bytes at once; others from their first character on, trying the alternatives in
// the order of the pattern.
#include "tokenizers/gpt_splitters.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "tokenizers/class_bits.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

using Class = CharacterClass;

struct Character {
  Class kind = Class::kOther;
  std::size_t end = 0;  // where the next one begins
};

Character character_at(std::string_view text, std::size_t position, const CharacterClasses& classes) {
  const char32_t c = next_code_point(text, position);
  return {classes.of(c), position};
}

// The end of the characters of one class from `position` on.
std::size_t run_end(std::string_view text, std::size_t position, Class kind, const CharacterClasses& classes) {
  while (position < text.size()) {
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte < 0x80) {  // most are, and need no more than a look into the table
      if (classes.of(byte) != kind) break;
      ++position;
      continue;
    }
    const Character next = character_at(text, position, classes);
    if (next.kind != kind) break;
    position = next.end;
  }
  return position;
}

// \s+(?!\S)|\s+ where white space begins: of several, the last stays with what follows.
std::size_t space_end(std::string_view text, std::size_t begin, const CharacterClasses& classes) {
  const std::size_t end = run_end(text, begin, Class::kSpace, classes);
  if (end == text.size()) return end;
  std::size_t last = end - 1;
  while (!starts_character(text[last])) --last;
  return last > begin ? last : end;
}

// The end of 's, 't, 're, 've, 'm, 'll or 'd from an apostrophe on; `begin` where none of them stands.
std::size_t contraction_end(std::string_view text, std::size_t begin, bool any_case) {
  const auto letter = [&](std::size_t i) {
    const char c = i < text.size() ? text[i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  };
  const char first = letter(begin + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return begin + 2;
  const char second = letter(begin + 2);
  if ((first == 'r' || first == 'v') && second == 'e') return begin + 3;
  if (first == 'l' && second == 'l') return begin + 3;
  const bool long_s = any_case && text.substr(begin + 1, 2) == "\u017F";  // lower-cases to s
  return long_s ? begin + 3 : begin;
}

// Where GPT-2's pattern begins its pieces, block by block.
class Gpt2Starts {
 public:
  explicit Gpt2Starts(std::string_view text) : text_(text) {}

  // Of the block at `begin`, which follows the one before; bit i of its byte i. `before_space`: white space or the end
  // of the text comes after it.
  std::uint64_t next(std::size_t begin, const ClassBits& bits, bool before_space) {
    const auto last = static_cast<int>(std::bit_width(bits.all)) - 1;
    const std::uint64_t others = bits.all & ~(bits.letters | bits.numbers | bits.spaces);
    const std::uint64_t goes_on = (bits.letters & after(bits.letters, before_.letters, last)) |
                                  (bits.numbers & after(bits.numbers, before_.numbers, last)) |
                                  (others & after(others, other_before_, last));
    const std::uint64_t after_space = after(bits.spaces, before_.spaces, last);
    const std::uint64_t after_blank = after(bits.blanks, before_.blanks, last);
    const std::uint64_t to_space = bits.spaces >> 1 | std::uint64_t{before_space} << last;
    // Of a run of white space the last one begins a piece: a blank joins what follows, another stands alone.
    std::uint64_t lasts = bits.spaces & ~to_space;
    while ((lasts & bits.space_tails) != 0) {
      lasts = (lasts & ~bits.space_tails) | (lasts & bits.space_tails) >> 1;
    }
    const std::uint64_t of_spaces = (bits.spaces & ~after_space) | lasts;
    const std::uint64_t of_others = ~bits.spaces & ~goes_on & ~after_blank;
    return with_contractions(begin, (of_spaces | of_others) & bits.all, bits);
  }

 private:
  // Moves `mask` on by a byte. `before` carries its last bit from block to block.
  static std::uint64_t after(std::uint64_t mask, std::uint64_t& before, int last) {
    const std::uint64_t shifted = mask << 1 | before;
    before = mask >> last & 1;
    return shifted;
  }

  // No piece begins within a contraction, but one at its end; both may lie in the next block.
  std::uint64_t with_contractions(std::size_t begin, std::uint64_t starts, const ClassBits& bits) {
    starts = (starts & ~within_next_) | (ends_next_ & bits.all);  // the text may end with it
    within_next_ = 0;
    ends_next_ = 0;
    const auto size = static_cast<std::size_t>(std::bit_width(bits.all));
    const auto mark = [&](std::size_t place, std::uint64_t& here, std::uint64_t& next) {
      (place < size ? here : next) |= std::uint64_t{1} << (place < size ? place : place - size);
    };
    std::uint64_t within = 0;
    std::uint64_t ends = 0;
    for (std::uint64_t left = starts & bits.apostrophes; left != 0; left &= left - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t end = contraction_end(text_, begin + place, false) - begin;
      if (end == place) continue;
      mark(place + 1, within, within_next_);
      mark(end, ends, ends_next_);
    }
    return (starts & ~within) | ends;
  }

  std::string_view text_;
  ClassBits before_;  // of the block before, as bit 0
  std::uint64_t other_before_ = 0;
  std::uint64_t within_next_ = 0;
  std::uint64_t ends_next_ = 0;
};

}  // namespace

void Gpt2Splitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  Gpt2Starts all_starts(text);
  std::size_t piece = 0;  // where the last one begins
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = begin + block_size(text, begin);
    const ClassBits bits = class_bits(text.substr(begin, end - begin), classes_);
    const bool before_space = end == text.size() || character_at(text, end, classes_).kind == Class::kSpace;
    std::uint64_t starts = all_starts.next(begin, bits, before_space);
    if (begin == 0) starts &= starts - 1;
    for (; starts != 0; starts &= starts - 1) {
      const std::size_t next = begin + static_cast<std::size_t>(std::countr_zero(starts));
      pieces.push_back({piece, next});
      piece = next;
    }
    begin = end;
  }
  if (!text.empty()) pieces.push_back({piece, text.size()});
}

void Gpt4Splitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  for (std::size_t begin = 0; begin < text.size(); begin = pieces.back().end) {
    pieces.push_back({begin, end_of_piece(text, begin)});
  }
}

std::size_t Gpt4Splitter::end_of_piece(std::string_view text, std::size_t begin) const {
  const char byte = text[begin];
  if (byte == '\'') {
    if (const std::size_t end = contraction_end(text, begin, true); end > begin) return end;
  }
  const Character first = character_at(text, begin, classes_);
  if (first.kind == Class::kLetter) return run_end(text, first.end, Class::kLetter, classes_);
  if (first.kind == Class::kNumber) {
    std::size_t end = first.end;
    for (std::size_t digits = 1; digits < max_digits_ && end < text.size(); ++digits) {
      const Character next = character_at(text, end, classes_);
      if (next.kind != Class::kNumber) break;
      end = next.end;
    }
    return end;
  }
  const Class second = first.end < text.size() ? character_at(text, first.end, classes_).kind : Class::kSpace;
  if (second == Class::kLetter && byte != '\r' && byte != '\n') {
    return run_end(text, first.end, Class::kLetter, classes_);
  }
  if (first.kind == Class::kOther || (byte == ' ' && second == Class::kOther)) {
    std::size_t end = run_end(text, first.end, Class::kOther, classes_);
    while (end < text.size() && (text[end] == '\r' || text[end] == '\n')) ++end;
    return end;
  }
  return end_of_space(text, begin);
}

// \s*[\r\n]+ up to the last line break of the white space, if it has one.
std::size_t Gpt4Splitter::end_of_space(std::string_view text, std::size_t begin) const {
  const std::size_t end = run_end(text, begin, Class::kSpace, classes_);
  const std::size_t last = text.substr(begin, end - begin).find_last_of("\r\n");
  return last != std::string_view::npos ? begin + last + 1 : space_end(text, begin, classes_);
}

std::unique_ptr<const Splitter> find_gpt_splitter(std::string_view pattern) {
  const std::string gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  const std::string begin = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
  const std::string end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  if (pattern == gpt2) return std::make_unique<Gpt2Splitter>();
  if (pattern == begin + end) return std::make_unique<Gpt4Splitter>(1);
  if (pattern == begin + "{1,3}" + end) return std::make_unique<Gpt4Splitter>(3);
  return nullptr;
}

}  // namespace transformeter
