// Sentences of tagged tokens.
#include "datasets/conll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string failure_of(std::string_view text) {
  try {
    read_conll("f.conll", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

TEST(Conll, PartsSentencesAtBlankLinesAndLinesOfATab) {
  const auto sentences =
      read_conll("f", "Ann\tB-person\r\nsaw\tO\n\nNew\tB-location\nYork\tI-location\n\t\nit\tO").sentences;
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].size(), 2u);
  EXPECT_EQ(sentences[0][0].text, "Ann");
  EXPECT_EQ(sentences[0][0].tag, "B-person");
  EXPECT_EQ(sentences[1][1].text, "York");
  EXPECT_EQ(sentences[1][1].line, 5u);
  EXPECT_EQ(sentences[2][0].tag, "O");
}

TEST(Conll, ReadsTheFourColumnsOfConll2003) {
  const auto sentences = read_conll("f", "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n").sentences;
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_EQ(sentences[0][0].text, "EU");
  EXPECT_EQ(sentences[0][0].tag, "B-ORG");
}

TEST(Conll, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(failure_of("a\tO\nb\n"), AllOf(HasSubstr("f.conll:2:"), HasSubstr("'b' has no tag")));
  EXPECT_THAT(failure_of("a\tO\nb\tperson\n"), AllOf(HasSubstr("f.conll:2: tag 'person'"), HasSubstr("B-person")));
  EXPECT_THAT(failure_of("a\tO\nb\tB-\n"), HasSubstr("tag 'B-'"));
  EXPECT_THAT(failure_of("a\tO\n\tO\n"), AllOf(HasSubstr("f.conll:2:"), HasSubstr("token is empty")));
  EXPECT_THAT(failure_of("\n\n"), HasSubstr("no sentences"));
}

}  // namespace
}  // namespace transformeter
