// WordPiece, special tokens and truncation over a vocabulary small enough to work out by hand.
#include "tokenizers/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ids:                       0      1      2      3      4       5   6     7     8   9  10  11      12  13
constexpr char kWords[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\naff\na\nb\n##able.\n.\n\u6211\n";

class SmallTokenizer : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(folder_.write("vocab.txt", kWords));

  std::vector<std::int32_t> ids(std::string_view text) const { return tokenizer_->encode(text).ids; }
};

TEST_F(SmallTokenizer, TakesTheLongestPieceFirst) {
  EXPECT_THAT(ids("unaffable"), ElementsAre(2, 5, 6, 7, 3));
  EXPECT_THAT(ids("UNAFF able."), ElementsAre(2, 5, 6, 1, 12, 3)) << "'able' does not begin a word";
}

TEST_F(SmallTokenizer, MakesAWordUnknownThatNoCutCovers) {
  EXPECT_THAT(ids("unaffx a"), ElementsAre(2, 1, 9, 3));
  EXPECT_THAT(ids("\U0001F600"), ElementsAre(2, 1, 3));
  EXPECT_THAT(ids("a\u6211a"), ElementsAre(2, 9, 13, 9, 3));
}

TEST_F(SmallTokenizer, MakesAWordOfMoreThanAHundredCharactersUnknown) {
  std::string word = "un";
  for (int i = 0; i < 14; ++i)
    word +=
        "able"
        "aff";  // 2 + 98 characters
  EXPECT_EQ(ids(word).size(), 2u + 1 + 28);
  EXPECT_THAT(ids(word + "able"), ElementsAre(2, 1, 3));
}

TEST_F(SmallTokenizer, GivesTheSpecialTokensAloneForAnEmptyText) {
  EXPECT_THAT(ids(""), ElementsAre(2, 3));
  EXPECT_THAT(ids(" \n\u200B"), ElementsAre(2, 3));
}

TEST_F(SmallTokenizer, RecognisesSpecialTokensInTheText) {
  EXPECT_THAT(ids("a[MASK]b [SEP]"), ElementsAre(2, 9, 4, 10, 3, 3));
  EXPECT_THAT(ids("[mask]"), ElementsAre(2, 1, 1, 1, 3)) << "only as written";
}

TEST_F(SmallTokenizer, TruncatesTheTextAndKeepsTheSpecialTokens) {
  EncodeOptions options;
  options.max_length = 4;
  const Encoding encoding = tokenizer_->encode("a b a b", options);
  EXPECT_THAT(encoding.ids, ElementsAre(2, 9, 10, 3));
  EXPECT_THAT(encoding.special_mask, ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(encoding.truncated_tokens, 2);
  options.max_length = 1;
  EXPECT_THROW(tokenizer_->encode("a", options), Error);
}

TEST_F(SmallTokenizer, TruncatesTheLongerTextOfAPairFirst) {
  EncodeOptions options;
  options.max_length = 7;
  const Encoding encoding = tokenizer_->encode_pair("a", "b b b b b", options);
  EXPECT_THAT(encoding.ids, ElementsAre(2, 9, 3, 10, 10, 10, 3));
  EXPECT_THAT(encoding.type_ids, ElementsAre(0, 0, 0, 1, 1, 1, 1));
  EXPECT_EQ(encoding.truncated_tokens, 2);
}

std::string described(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += token.text + " " + std::to_string(token.id) + " " + std::to_string(token.characters.begin) + "-" +
            std::to_string(token.characters.end) + " " + std::to_string(token.bytes.begin) + "-" +
            std::to_string(token.bytes.end) + (token.special ? " special; " : "; ");
  }
  return text;
}

TEST_F(SmallTokenizer, SaysWhereEachTokenStandsInCharactersAndBytes) {
  // \u00C3 (A with a tilde) is two bytes and becomes "a"; \u6211 is three.
  EXPECT_EQ(described(tokenizer_->tokenize(" UNaff\u00C3\u6211b")),
            "[CLS] 2 0-0 0-0 special; [UNK] 1 1-7 1-8; \u6211 13 7-8 8-11; b 10 8-9 11-12; [SEP] 3 0-0 0-0 special; ");
  EXPECT_EQ(described(tokenizer_->tokenize("unaffable")),
            "[CLS] 2 0-0 0-0 special; un 5 0-2 0-2; ##aff 6 2-5 2-5; ##able 7 5-9 5-9; [SEP] 3 0-0 0-0 special; ");
}

TEST_F(SmallTokenizer, LeavesDroppedCharactersOutOfTheOffsetsAtTheEnds) {
  EncodeOptions bare;
  bare.add_special_tokens = false;
  EXPECT_EQ(described(tokenizer_->tokenize("\u200Ba\u0301 b", bare)), "a 9 1-2 3-4; b 10 4-5 7-8; ");
  EXPECT_EQ(described(tokenizer_->tokenize("a[MASK] b", bare)), "a 9 0-1 0-1; [MASK] 4 1-7 1-7; b 10 8-9 8-9; ");
  EXPECT_EQ(described(tokenizer_->tokenize("", bare)), "");
}

TEST_F(SmallTokenizer, TokenizeTruncatesAsEncodeDoes) {
  EncodeOptions options;
  options.max_length = 4;
  const std::vector<Token> tokens = tokenizer_->tokenize("a b a b", options);
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[2].id, 10);
  EXPECT_TRUE(tokens[3].special);
}

TEST_F(SmallTokenizer, RefusesTextThatIsNotUtf8WithTheOffset) {
  try {
    tokenizer_->encode("ab\xFF");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("byte 2"));
  }
}

TEST_F(SmallTokenizer, EncodesABatchOnSeveralThreadsAsOneByOne) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(i % 3 == 0 ? "a b" : i % 3 == 1 ? "unaffable" : "");
  for (const int threads : {1, 2, 3}) {
    const std::vector<Encoding> encodings = tokenizer_->encode_batch(texts, {}, threads);
    ASSERT_EQ(encodings.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(encodings[i].ids, ids(texts[i])) << i;
  }
  EXPECT_TRUE(tokenizer_->encode_batch({}).empty());
  EXPECT_THROW(tokenizer_->encode_batch(texts, {}, 0), Error);
}

TEST_F(SmallTokenizer, NamesTheFirstBadTextOfABatch) {
  std::vector<std::string> texts(500, "a");
  texts[401] = texts[77] = "b\xFF";
  try {
    tokenizer_->encode_batch(texts, {}, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("text 77"), HasSubstr("byte 1")));
  }
}

// Memory that runs out while a helper encodes.
class ExhaustedTokenizer final : public Tokenizer {
 public:
  const TokenizerTraits& traits() const override { return traits_; }
  std::string_view token(std::int32_t) const override { return {}; }

 protected:
  void do_encode(std::string_view, std::vector<std::int32_t>&) const override { throw std::bad_alloc(); }
  std::vector<Token> do_tokenize(std::string_view) const override { throw std::bad_alloc(); }
  std::string do_decode(std::span<const std::int32_t>, bool) const override { throw std::bad_alloc(); }

 private:
  TokenizerTraits traits_;
};

TEST(TokenizerBatch, HandsOverWhatHelpersThrow) {
  EXPECT_THROW(ExhaustedTokenizer().encode_batch(std::vector<std::string>(500, "a"), {}, 3), std::bad_alloc);
}

TEST_F(SmallTokenizer, KeepsTheEndOfTheTextWhenTruncatedOnTheLeft) {
  EncodeOptions options;
  options.max_length = 4;
  options.truncation_side = Side::kLeft;
  EXPECT_THAT(tokenizer_->encode("a a b [MASK]", options).ids, ElementsAre(2, 10, 4, 3));
}

TEST_F(SmallTokenizer, WindowsShareTheStrideAndCoverTheSecondText) {
  // Four of the seven tokens are the special tokens' and the first text's: windows of three, one of them shared.
  const auto windows = tokenizer_->encode_pair_windows("a", "a b a b [MASK]", {.max_length = 7, .stride = 1});
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_THAT(windows[0].encoding.ids, ElementsAre(2, 9, 3, 9, 10, 9, 3));
  EXPECT_THAT(windows[1].encoding.ids, ElementsAre(2, 9, 3, 9, 10, 4, 3));
  EXPECT_EQ(windows[1].second, (TextSpan{3, 6}));
  EXPECT_EQ(windows[1].characters[3], (TextSpan{4, 5}));
  EXPECT_THROW(tokenizer_->encode_pair_windows("a", "b", {.max_length = 5, .stride = 1}), Error);
  EXPECT_EQ(tokenizer_->encode_pair_windows("a", "", {.max_length = 7, .stride = 1}).size(), 1u);
}

TEST_F(SmallTokenizer, RefusesToDecodeIdsOutsideTheVocabulary) {
  for (const std::int32_t id : {-1, 14}) {
    EXPECT_THROW(tokenizer_->decode(std::vector<std::int32_t>{5, id}), Error) << id;
  }
}

TEST_F(SmallTokenizer, KnowsItsSpecialTokens) {
  EXPECT_EQ(tokenizer_->vocabulary_size(), 14);
  EXPECT_EQ(tokenizer_->special_tokens().pad, 0);
  EXPECT_EQ(tokenizer_->special_tokens().mask, 4);
  EXPECT_EQ(tokenizer_->token(6), "##aff");
  EXPECT_EQ(tokenizer_->token(14), "");
}

}  // namespace
}  // namespace transformeter
