// What the loader accepts, and how it refuses the rest.
#include "tokenizers/tokenizer_loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_json.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kSpecials[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";

// A whole tokenizer.json of eight words; tests spoil it.
Json small_json() {
  return Json::parse(R"({
    "version": "1.0", "truncation": {"max_length": 3}, "padding": {"strategy": {"Fixed": 0}},
    "added_tokens": [{"id": 1, "content": "[UNK]", "special": true, "normalized": false},
                     {"id": 8, "content": "<new>", "special": false, "normalized": false, "lstrip": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 5, "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4,
              "b": 5, "##b": 6, "\u00e9": 7}}})");
}

class TokenizerLoaderTest : public testing::Test {
 protected:
  TemporaryFolder folder_;

  std::string failure_of(const std::string& name, std::string_view content) const {
    const auto path = folder_.write(name, content);
    try {
      load_tokenizer(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr(name));
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << content;
    return "";
  }
};

TEST_F(TokenizerLoaderTest, RefusesWhatNestsTooDeepForTheStack) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(failure_of("tokenizer.json", deep), HasSubstr("nested deeper"));
  EXPECT_THAT(failure_of("tokenizer.json", R"({"model": {"vocab": {"a": 0}}, "version": )" + deep + "}"),
              HasSubstr("nested deeper"));
}

TEST_F(TokenizerLoaderTest, RefusesIdsThatWouldFillTheMemory) {
  Json json = small_json();
  for (const std::int32_t id : {kTokenIdLimit, 9'999'999, 12'345'678}) {
    json["model"]["vocab"]["a"] = id;
    EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr(std::to_string(id)), HasSubstr("2097151")));
  }
  json = small_json();
  json["added_tokens"][1]["id"] = kTokenIdLimit;
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), HasSubstr("2097151"));
}

TEST_F(TokenizerLoaderTest, ReadsTokenizerJsonWithAddedTokensBeyondTheModel) {
  folder_.write("tokenizer.json", small_json().dump());
  folder_.write("vocab.txt", "not this one");
  const auto tokenizer = load_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer->vocabulary_size(), 9);
  EXPECT_EQ(tokenizer->token(8), "<new>");
  EXPECT_THAT(tokenizer->encode("A <new>ab").ids, ElementsAre(2, 4, 8, 4, 6, 3));
  EXPECT_THAT(tokenizer->encode("abbbbb").ids, ElementsAre(2, 1, 3)) << "six characters are one too many here";
}

TEST_F(TokenizerLoaderTest, WordLevelRefusesAWordWithoutAnIdForIt) {
  const std::string file = R"({"model": {"type": "WordLevel", "vocab": {"a": 0, "b c": 1}, "unk_token": "?"}})";
  const auto tokenizer = load_tokenizer(folder_.write("tokenizer.json", file));
  EXPECT_EQ(tokenizer->encode("b c").ids, (std::vector<std::int32_t>{1}));
  try {
    tokenizer->encode("d");
    FAIL() << "no id stands for d";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'d'"), HasSubstr("no unknown token")));
  }
}

TEST_F(TokenizerLoaderTest, FixedLengthIsAtLeastOne) {
  Json json = small_json();
  json["pre_tokenizer"] = {{"type", "FixedLength"}, {"length", 0}};
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("pre_tokenizer"), HasSubstr("at least 1")));
}

TEST_F(TokenizerLoaderTest, NamesWhatItDoesNotKnow) {
  Json json = small_json();
  json["model"]["type"] = "WordLevels";
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("'WordLevels'"), HasSubstr("WordPiece")));
  json = small_json();
  json["pre_tokenizer"]["type"] = "Scripts";
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("pre_tokenizer"), HasSubstr("'Scripts'")));
  json = small_json();
  json["normalizer"] = {{"type", "NFQ"}};
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("normalizer"), HasSubstr("'NFQ'")));
  json = small_json();
  json["normalizer"]["keep"] = true;
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("'keep'"), HasSubstr("lowercase")));
  json = small_json();
  json["post_processor"]["type"] = "GptProcessing";
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), HasSubstr("'GptProcessing'"));
}

TEST_F(TokenizerLoaderTest, RefusesAVocabularyOfNothing) {
  for (const char* model : {R"({"type": "BPE", "vocab": {}, "merges": []})", R"({"type": "Unigram", "vocab": []})"}) {
    EXPECT_THAT(failure_of("tokenizer.json", fmt::format(R"({{"model": {}}})", model)), HasSubstr("vocab has "));
  }
}

TEST_F(TokenizerLoaderTest, RefusesABrokenTokenizerJson) {
  const std::string whole = small_json().dump();
  EXPECT_THAT(failure_of("tokenizer.json", whole.substr(0, whole.size() / 2)),
              AllOf(HasSubstr("at byte"), HasSubstr("is it cut off?")));
  EXPECT_THAT(failure_of("tokenizer.json", "[]"), HasSubstr("object"));
  EXPECT_THAT(failure_of("tokenizer.json", ""), HasSubstr("not valid JSON"));
  Json json = small_json();
  json["model"]["vocab"]["a"] = -4;
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), AllOf(HasSubstr("'a'"), HasSubstr("-4")));
  json = small_json();
  json["model"]["vocab"]["a"] = {{"b", 1}};
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), HasSubstr("'a'"));
  json = small_json();
  json["added_tokens"][0]["id"] = 5;
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), HasSubstr("'[UNK]' has id 5, but 1"));
  json = small_json();
  json["model"]["vocab"].erase("[SEP]");
  EXPECT_THAT(failure_of("tokenizer.json", json.dump()), HasSubstr("no token with id 3"));
  std::string doubled = whole;
  doubled.replace(doubled.find("\"b\":5"), 5, "\"a\":5");
  EXPECT_THAT(failure_of("tokenizer.json", doubled), HasSubstr("'a' occurs twice"));
}

TEST_F(TokenizerLoaderTest, EveryCutOfAFileIsAnErrorAndNoCrash) {
  const std::string whole = small_json().dump();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto path = folder_.write("tokenizer.json", whole.substr(0, size));
    EXPECT_THROW(load_tokenizer(path), Error) << size;
  }
}

TEST_F(TokenizerLoaderTest, ReadsEscapedWordsAlikeByTheQuickAndTheGeneralWay) {
  Json json = small_json();
  json["model"]["vocab"]["\""] = 9;
  json["model"]["vocab"]["\\"] = 10;
  const std::string plain = json.dump(2);
  const std::string escaped = json.dump(-1, ' ', true);  // writes \u00e9, which only the general way reads
  EXPECT_TRUE(read_plain_tokenizer_json(plain));
  EXPECT_FALSE(read_plain_tokenizer_json(escaped));
  for (const std::string& text : {plain, escaped}) {
    const auto tokenizer = load_tokenizer(folder_.write("tokenizer.json", text));
    EXPECT_EQ(tokenizer->vocabulary_size(), 11);
    EXPECT_EQ(tokenizer->token(7), "\u00E9");
    EXPECT_THAT(tokenizer->encode("\\ a\"").ids, ElementsAre(2, 10, 4, 9, 3));
  }
}

TEST_F(TokenizerLoaderTest, RefusesABrokenVocabulary) {
  const std::string specials = kSpecials;
  EXPECT_THAT(failure_of("vocab.txt", "[PAD]\n[CLS]\n[SEP]\na\n"), HasSubstr("'[UNK]'"));
  EXPECT_THAT(failure_of("vocab.txt", specials + "a\nb\na\n"),
              HasSubstr("vocab.txt:7: duplicate word 'a', already in line 5"));
  EXPECT_THAT(failure_of("vocab.txt", specials + "a\n\nb\n"), HasSubstr("vocab.txt:6: the line is empty"));
  EXPECT_THAT(failure_of("vocab.txt", specials + "\xFF\n"),
              AllOf(HasSubstr("vocab.txt:5:"), HasSubstr("UTF-8 at byte 24")));
  const std::string long_word(1'000'000, 'x');
  EXPECT_LT(failure_of("vocab.txt", specials + long_word + "\n" + long_word + "\n").size(), 500u);
  EXPECT_THAT(failure_of("vocab.bin", specials), HasSubstr(".txt"));
}

TEST_F(TokenizerLoaderTest, SaysWhatIsMissing) {
  try {
    load_tokenizer(folder_.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(folder_.path().string()), HasSubstr("vocab.txt")));
  }
  EXPECT_THROW(load_tokenizer(folder_.path() / "absent.json"), Error);
}

TEST_F(TokenizerLoaderTest, TakesTheCaseFromConfigElseFromTheVocabulary) {
  const auto path = folder_.write("vocab.txt", std::string(kSpecials) + "a\nA\n");
  EXPECT_THAT(load_tokenizer(path)->encode("A").ids, ElementsAre(2, 5, 3)) << "a word with a capital: cased";
  folder_.write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_THAT(load_tokenizer(path)->encode("A").ids, ElementsAre(2, 4, 3));
  TokenizerOptions options;
  options.lowercase = false;
  EXPECT_THAT(load_tokenizer(path, options)->encode("A").ids, ElementsAre(2, 5, 3));
  folder_.write("tokenizer_config.json", R"({"do_lower_case": "yes"})");
  EXPECT_THROW(load_tokenizer(path), Error);
}

TEST_F(TokenizerLoaderTest, ToleratesCarriageReturnsAByteOrderMarkAndAMissingLastLineBreak) {
  const auto path = folder_.write("vocab.txt", "\xEF\xBB\xBF[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na");
  EXPECT_THAT(load_tokenizer(path)->encode("a").ids, ElementsAre(2, 4, 3));
}

}  // namespace
}  // namespace transformeter
