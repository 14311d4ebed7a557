// A table decides for ASCII; other characters are looked up.
#include "tokenizers/bert_pre_tokenizer.h"

#include <array>
#include <cstdint>

#include "tokenizers/bert_characters.h"
#include "tokenizers/utf8.h"

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

}  // namespace

void split_bert_words(std::string_view text, std::vector<TextSpan>& words) {
  std::size_t begin = 0;  // of the word being read
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
    if (start > begin) words.push_back({begin, start});
    if (kind == AsciiClass::kPunctuation) words.push_back({start, i});
    begin = i;
  }
  if (text.size() > begin) words.push_back({begin, text.size()});
}

void BertPreTokenizer::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  split_bert_words(text, pieces);
}

}  // namespace transformeter
