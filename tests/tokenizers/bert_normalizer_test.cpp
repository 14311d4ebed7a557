// Normalisation and word splitting on hand-made texts; the expectations are the definitions in BERT's paper code.
#include "tokenizers/bert_normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tokenizers/bert_pre_tokenizer.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

BertNormalizerOptions cased() {
  BertNormalizerOptions options;
  options.lowercase = false;
  return options;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<TextSpan> spans;
  split_bert_words(text, spans);
  std::vector<std::string_view> words;
  for (const TextSpan span : spans) words.push_back(text.substr(span.begin, span.end - span.begin));
  return words;
}

TEST(BertNormalizer, LowerCasesAndStripsAccentsTogether) {
  const BertNormalizer normalizer({});
  EXPECT_EQ(normalizer.normalize("Hello WORLD"), "hello world");
  EXPECT_EQ(normalizer.normalize("R\u00C9SUM\u00C9 \u00C5ngstr\u00F6m e\u0301"), "resume angstrom e");
}

TEST(BertNormalizer, KeepsAccentsOfCasedTextUnlessToldOtherwise) {
  EXPECT_EQ(BertNormalizer(cased()).normalize("R\u00C9sum\u00E9"), "R\u00C9sum\u00E9");
  BertNormalizerOptions stripped = cased();
  stripped.strip_accents = true;
  EXPECT_EQ(BertNormalizer(stripped).normalize("R\u00C9sum\u00E9"), "REsume");
  BertNormalizerOptions kept;
  kept.strip_accents = false;
  EXPECT_EQ(BertNormalizer(kept).normalize("R\u00C9sum\u00E9"), "r\u00E9sum\u00E9");
}

TEST(BertNormalizer, DropsControlCharactersAndTurnsWhiteSpaceIntoBlanks) {
  const BertNormalizer normalizer({});
  using namespace std::string_view_literals;
  EXPECT_EQ(normalizer.normalize("a\0b\x07"
                                 "c\x7F"sv),
            "abc");
  EXPECT_EQ(normalizer.normalize("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(normalizer.normalize("a\u00A0b\u3000c\u200Bd\uFFFD"), "a b cd");
}

TEST(BertNormalizer, PutsBlanksAroundChineseCharacters) {
  EXPECT_EQ(BertNormalizer({}).normalize("a\u6211b"), "a \u6211 b");
  BertNormalizerOptions off;
  off.handle_chinese_chars = false;
  EXPECT_EQ(BertNormalizer(off).normalize("a\u6211b"), "a\u6211b");
}

TEST(BertNormalizer, LeavesHangulAndEmojiAlone) {
  EXPECT_EQ(BertNormalizer(cased()).normalize("\uD55C\U0001F600"), "\uD55C\U0001F600");
}

TEST(SplitBertWords, SplitsAtWhiteSpaceAndAroundPunctuation) {
  EXPECT_THAT(words_of("  don't  stop. "), ElementsAre("don", "'", "t", "stop", "."));
  EXPECT_THAT(words_of("a$b\u2014c\u3002"), ElementsAre("a", "$", "b", "\u2014", "c", "\u3002"));
  EXPECT_THAT(words_of("\u20AC5"), ElementsAre("\u20AC5")) << "a currency sign beyond ASCII is no punctuation";
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \t\n"), IsEmpty());
}

}  // namespace
}  // namespace transformeter
