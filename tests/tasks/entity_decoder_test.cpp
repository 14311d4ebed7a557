// Entities of labelled tokens, by each scheme of labels.
#include "tasks/entity_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transformeter {
namespace {

using testing::ElementsAre;

// One token for each label, of one letter, with a blank between: "a b c …". A label that begins with '+' belongs to the
// token's predecessor, without a blank.
struct Sentence {
  std::string text;
  std::vector<LabelledToken> tokens;
};

Sentence sentence(const std::vector<std::string>& labels, const std::vector<double>& scores = {}) {
  Sentence made;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool continues = labels[i].front() == '+';
    if (!made.text.empty() && !continues) made.text += ' ';
    const std::size_t begin = made.text.size();
    made.text += static_cast<char>('a' + i);
    const TextSpan place{begin, begin + 1};
    made.tokens.push_back(
        {place, place, labels[i].substr(continues ? 1 : 0), scores.empty() ? 1 : scores[i], continues});
  }
  return made;
}

// "type:text" of each.
std::vector<std::string> entities(const std::vector<std::string>& labels) {
  const Sentence made = sentence(labels);
  std::vector<std::string> found;
  for (const PredictedEntity& one : group_entities(made.tokens, made.text)) {
    found.push_back(one.entity + ":" + one.text);
  }
  return found;
}

TEST(EntityDecoder, JoinsNeighboursOfOneTypeUntilABegins) {
  EXPECT_THAT(entities({"O", "B-PER", "I-PER", "O", "B-LOC"}), ElementsAre("PER:b c", "LOC:e"));
  EXPECT_THAT(entities({"B-PER", "B-PER", "I-PER"}), ElementsAre("PER:a", "PER:b c"));
  EXPECT_THAT(entities({"I-PER", "I-LOC", "I-LOC"}), ElementsAre("PER:a", "LOC:b c")) << "IOB1 needs no B-";
  EXPECT_THAT(entities({"B-PER", "I-LOC"}), ElementsAre("PER:a", "LOC:b"));
  EXPECT_THAT(entities({"O", "O"}), ElementsAre());
}

TEST(EntityDecoder, EndsWithAnEndAndKeepsSinglesApart) {
  EXPECT_THAT(entities({"B-PER", "I-PER", "E-PER", "I-PER"}), ElementsAre("PER:a b c", "PER:d"));
  EXPECT_THAT(entities({"S-PER", "S-PER"}), ElementsAre("PER:a", "PER:b"));
  EXPECT_THAT(entities({"S-PER", "I-PER", "L-PER", "U-PER"}), ElementsAre("PER:a", "PER:b c", "PER:d"));
}

TEST(EntityDecoder, TakesALabelWithoutAPrefixAsItIs) {
  EXPECT_THAT(entities({"NOUN", "NOUN", "VERB"}), ElementsAre("NOUN:a b", "VERB:c"));
}

TEST(EntityDecoder, GivesAWordTheLabelOfItsFirstToken) {
  EXPECT_THAT(entities({"B-PER", "+O", "+B-LOC", "O"}), ElementsAre("PER:abc"));
  EXPECT_THAT(entities({"O", "+B-PER", "I-PER"}), ElementsAre("PER:c"));
  EXPECT_THAT(entities({"+B-PER", "+I-PER"}), ElementsAre("PER:ab")) << "a text may begin inside a word";
}

TEST(EntityDecoder, ScoresTheMeanOfItsWords) {
  // Words "ab" (0.5, of its first token), "c" (1) and "d" (0.75).
  const Sentence made = sentence({"B-PER", "+I-PER", "I-PER", "I-PER"}, {0.5, 0.1, 1, 0.75});
  const std::vector<PredictedEntity> found = group_entities(made.tokens, made.text);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].score, (0.5 + 1 + 0.75) / 3);
  EXPECT_EQ(found[0].place, (CharacterRange{0, 6}));
}

TEST(EntityDecoder, TagsWordsByTheirFirstToken) {
  // "ab cd": words [0, 2) and [3, 5); the third begins behind the last token.
  const Sentence made = sentence({"B-PER", "+I-PER", "O", "+B-LOC"});
  EXPECT_EQ(made.text, "ab cd");
  const std::vector<CharacterRange> words = {{0, 2}, {3, 5}, {6, 9}};
  EXPECT_THAT(tags_of_words(made.tokens, words), ElementsAre("B-PER", "O", "O"));
  // A token of a byte-level tokenizer may hold the blank in front of its word.
  std::vector<LabelledToken> blanks = made.tokens;
  blanks[2].characters = {2, 4};
  blanks[2].label = "B-ORG";
  EXPECT_THAT(tags_of_words(blanks, words), ElementsAre("B-PER", "B-ORG", "O"));
  // So may a token that is no more than the blank: sentencepiece's mark or byte-level's blank before a sign that has no
  // token with it. Its place is empty, or the blank's.
  for (const TextSpan place : {TextSpan{3, 3}, TextSpan{2, 3}}) {
    std::vector<LabelledToken> marks = made.tokens;
    marks[2].characters = place;
    marks[2].label = "B-ORG";
    marks[3].characters = {3, 5};
    EXPECT_THAT(tags_of_words(marks, words), ElementsAre("B-PER", "B-ORG", "O"));
  }
  // A word that the tokenizer drops has none.
  EXPECT_THAT(tags_of_words(std::span(made.tokens).last(2), words), ElementsAre("O", "O", "O"));
}

}  // namespace
}  // namespace transformeter
