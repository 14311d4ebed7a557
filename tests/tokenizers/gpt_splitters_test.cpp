// The splits written by hand against their regular expressions, on texts that are made to go wrong.
#include "tokenizers/gpt_splitters.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/class_bits.h"
#include "tokenizers/regex.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

constexpr const char* kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// ASCII characters of each class, some beyond, and what contractions are made of.
const std::vector<std::string> kParts = {
    "a",  "S",    "t",    "s", "re", "ll", "'",      "'",      "'s",     " ",      " ",          "  ",
    "\n", "\t",   "\r\n", "1", "23", ".",  "--",     "[",      "`",      "{",      "@",          "/",
    ":",  "\x01", "\x7F", "é", "ß",  "中", "\u0661", "\u2013", "\u2019", "\u017F", "\U0001F600", "\U00020000"};
const std::vector<std::string> kSpacesBeyond = {"\u00A0", "\u3000", "\u0085", "\u2028"};

std::string random_text(std::mt19937& random, bool has_spaces_beyond) {
  std::string text;
  for (std::size_t count = random() % 150; count > 0; --count) {
    const std::size_t part = random() % (kParts.size() + (has_spaces_beyond ? kSpacesBeyond.size() : 0));
    text += part < kParts.size() ? kParts[part] : kSpacesBeyond[part - kParts.size()];
  }
  return text;
}

void expect_as_the_pattern(const char* pattern) {
  const auto splitter = find_gpt_splitter(pattern);
  ASSERT_NE(splitter, nullptr);
  const Regex regex(pattern, "test");
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same texts every time
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_text(random, i % 4 == 0);
    std::vector<TextSpan> pieces{{1, 2}};
    splitter->split(text, pieces);
    EXPECT_EQ(pieces.front(), (TextSpan{1, 2})) << "what was there before";
    pieces.erase(pieces.begin());
    ASSERT_EQ(pieces, regex.find_all(text)) << text;
  }
}

TEST(GptSplitters, CutAsGpt2sPattern) {
  expect_as_the_pattern(kGpt2);
}

TEST(GptSplitters, CutAsQwen2sPattern) {
  expect_as_the_pattern(kQwen2);
}

// A contraction, white space and a character of several bytes at each place of a block's end.
TEST(GptSplitters, CutAlikeAcrossTheEndOfABlock) {
  const auto splitter = find_gpt_splitter(kGpt2);
  const Regex regex(kGpt2, "test");
  for (const char* middle : {"'ll x", "'sx", "'re're", "  \nx", " \n", "é é", "\U0001F600'd", "''t", "1'a",
                             "\u00A0\u3000x", " \u3000", "\u2028\u2028'll"}) {
    for (std::size_t before = 50; before < 70; ++before) {
      for (const char* end : {"", "x", " y", "'s"}) {
        const std::string text = std::string(before, 'a') + middle + end;
        std::vector<TextSpan> pieces;
        splitter->split(text, pieces);
        ASSERT_EQ(pieces, regex.find_all(text)) << text;
      }
    }
  }
}

// The character c after so many others.
void expect_bits_of(char32_t c, std::size_t place, const CharacterClasses& classes) {
  SCOPED_TRACE(static_cast<unsigned>(c));
  std::string text(place, 'x');
  append_utf8(c, text);
  const std::size_t size = text.size() - place;
  const std::uint64_t before = (std::uint64_t{1} << place) - 1;
  const std::uint64_t mask = ((std::uint64_t{1} << size) - 1) << place;
  const CharacterClass kind = classes.of(c);
  const ClassBits bits = class_bits(text, classes);
  EXPECT_EQ(bits.letters, before | (kind == CharacterClass::kLetter ? mask : 0));
  EXPECT_EQ(bits.numbers, kind == CharacterClass::kNumber ? mask : 0);
  EXPECT_EQ(bits.spaces, kind == CharacterClass::kSpace ? mask : 0);
  EXPECT_EQ(bits.space_tails, kind == CharacterClass::kSpace ? mask & (mask - 1) : 0);
  EXPECT_EQ(bits.blanks, c == ' ' ? mask : 0);
  EXPECT_EQ(bits.apostrophes, c == '\'' ? mask : 0);
  EXPECT_EQ(bits.all, before | mask);
}

TEST(ClassBits, AreThoseOfEachCharacter) {
  const CharacterClasses classes;
  for (const std::size_t place : {0U, 1U, 7U, 8U, 60U}) {
    for (char32_t c = 0; c <= 0x3001; ++c) expect_bits_of(c, place, classes);
    for (const char32_t c : {U'\U0001F600', U'\U00020000', U'\U0001D7CE'}) expect_bits_of(c, place, classes);
  }
}

TEST(ClassBits, OfABlockEndWithACharacter) {
  const std::string text = std::string(63, 'a') + "é" + std::string(10, 'b');
  EXPECT_EQ(block_size(text, 0), 63U);
  EXPECT_EQ(block_size(text, 63), 12U);
  EXPECT_EQ(block_size(std::string(64, 'a'), 0), 64U);
}

}  // namespace
}  // namespace transformeter
