// Normalisation with a byte-table path for ASCII; utf8proc decomposes and lower-cases the rest.
#include "text/bert_normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"
#include "text/bert_characters.h"

namespace transformeter {
namespace {

enum class AsciiClass : std::uint8_t { kWord, kSpace, kPunctuation, kBeyond };

// What the pre-tokenizer makes of each byte; bytes from 0x80 on need the whole code point.
constexpr std::array<AsciiClass, 256> make_classes() {
  std::array<AsciiClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    AsciiClass kind = AsciiClass::kWord;
    if (c >= 0x80) kind = AsciiClass::kBeyond;
    if (c == ' ' || (c >= '\t' && c <= '\r')) kind = AsciiClass::kSpace;
    const bool mark =
        (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    if (mark) kind = AsciiClass::kPunctuation;
    classes[static_cast<std::size_t>(c)] = kind;
  }
  return classes;
}
constexpr std::array<AsciiClass, 256> kClasses = make_classes();

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

// Characters that decompose only since Unicode 13, later than the tables Hugging Face's library normalises with.
bool decomposes_only_lately(char32_t c) {
  constexpr CodePointRange kLate[] = {{0x105C9, 0x105C9}, {0x105E4, 0x105E4}, {0x11383, 0x11391}, {0x113C5, 0x113C8},
                                      {0x11938, 0x11938}, {0x16121, 0x16128}, {0x16D68, 0x16D6A}};
  return std::any_of(std::begin(kLate), std::end(kLate),
                     [c](const CodePointRange& range) { return c >= range.first && c <= range.last; });
}

// Marks after a base stand in the order of their combining classes (Unicode canonical ordering).
void order_marks(std::u32string& text) {
  const auto combining_class = [](char32_t c) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  };
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin;
    while (end < text.size() && combining_class(text[end]) != 0) ++end;
    std::stable_sort(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end + 1;
  }
}

// Canonical decomposition (NFD) without the characters of category Mn.
std::u32string without_accents(const std::u32string& text) {
  std::u32string plain;
  plain.reserve(text.size() + 8);
  for (const char32_t c : text) {
    if (c < 0x80 || decomposes_only_lately(c)) {
      plain += c;
      continue;
    }
    utf8proc_int32_t parts[16];  // the longest canonical decomposition has four
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 16, UTF8PROC_DECOMPOSE, nullptr);
    if (count < 0 || count > 16) throw Error(ErrorKind::kInternal, "utf8proc could not decompose a code point");
    for (utf8proc_ssize_t i = 0; i < count; ++i) plain += static_cast<char32_t>(parts[i]);
  }
  order_marks(plain);
  plain.erase(std::remove_if(plain.begin(), plain.end(), [](char32_t c) { return c >= 0x80 && is_nonspacing_mark(c); }),
              plain.end());
  return plain;
}

void append_lower(char32_t c, std::string& text) {
  if (c == 0x130) {  // I with a dot above: the one character whose full lower case is two characters
    text += "i\xCC\x87";
    return;
  }
  append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), text);
}

}  // namespace

std::string BertNormalizer::normalize(std::string_view text) const {
  if (!is_ascii(text)) return normalize_unicode(text);
  std::string plain;
  plain.reserve(text.size());
  for (char c : text) {
    if (options_.clean_text) {
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
      if (c < ' ' || c == 0x7F) continue;
    }
    if (options_.lowercase && c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    plain += c;
  }
  return plain;
}

std::string BertNormalizer::normalize_unicode(std::string_view text) const {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = next_code_point(text, i);
    if (options_.clean_text) {
      if (is_bert_removed(c)) continue;
      if (is_bert_space(c)) c = U' ';
    }
    if (options_.handle_chinese_chars && is_bert_chinese(c)) {
      points += {U' ', c, U' '};
    } else {
      points += c;
    }
  }
  if (options_.strip_accents.value_or(options_.lowercase)) points = without_accents(points);
  std::string plain;
  plain.reserve(text.size() + 8);
  for (const char32_t c : points) {
    if (options_.lowercase) {
      append_lower(c, plain);
    } else {
      append_utf8(c, plain);
    }
  }
  return plain;
}

void split_bert_words(std::string_view text, std::vector<std::string_view>& words) {
  std::size_t begin = 0;  // of the word being read
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t start = i;
    AsciiClass kind = kClasses[static_cast<unsigned char>(text[i])];
    if (kind == AsciiClass::kBeyond) {
      const char32_t c = next_code_point(text, i);
      kind = is_bert_space(c)         ? AsciiClass::kSpace
             : is_bert_punctuation(c) ? AsciiClass::kPunctuation
                                      : AsciiClass::kWord;
    } else {
      ++i;
    }
    if (kind == AsciiClass::kWord) continue;
    end_word(start);
    if (kind == AsciiClass::kPunctuation) words.push_back(text.substr(start, i - start));
    begin = i;
  }
  end_word(text.size());
}

}  // namespace transformeter
