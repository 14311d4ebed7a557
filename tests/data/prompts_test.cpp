// Prompts as rows that end together, and what follows them as text.
#include "data/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/source_tree.h"
#include "text/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Prompts : public testing::Test {
 protected:
  Encoding encode(const std::string& text, const PredictionOptions& options) const {
    return encode_prompt({text, {}, {}}, {*tokenizer_, {}, 12}, options);
  }

  std::string error_of(const std::string& text, const PredictionOptions& options) const {
    try {
      encode(text, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "no error";
  }

  // Puts [CLS] and [SEP] around a text.
  const std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(source_directory() / "tests/data/models/tiny-gpt2");
};

TEST_F(Prompts, LeaveRoomForNewTokens) {
  PredictionOptions options;
  options.max_new_tokens = 8;
  EXPECT_EQ(encode("a a", options).ids.size(), 4U);
  EXPECT_THAT(error_of("a a a", options), HasSubstr("5 tokens and 8 new ones are more than the 12"));
  options.max_length = 11;
  EXPECT_THAT(error_of("a a", options), HasSubstr("4 tokens and 8 new ones are more than the 11"));
  options.max_length = 100;
  EXPECT_THAT(error_of("a a a", options), HasSubstr("the 12")) << "the model holds no more than it does";
  EXPECT_THAT(error_of(" ", options), HasSubstr("empty"));
}

TEST_F(Prompts, AreFilledUpOnTheLeft) {
  const std::vector<Encoding> prompts = {{{7, 8, 9}, {0, 0, 1}, {0, 0, 0}, 0}, {{5}, {1}, {0}, 0}};
  const Batch batch = pad_prompts(prompts, 99);
  EXPECT_THAT(batch.input_ids, ElementsAre(7, 8, 9, 99, 99, 5));
  EXPECT_THAT(batch.attention_mask, ElementsAre(1, 1, 1, 0, 0, 1));
  EXPECT_THAT(batch.token_type_ids, ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_EQ(batch.useful_tokens, 4);
  EXPECT_EQ(batch.processed_tokens, 6);
  EXPECT_TRUE(batch.has_padding);
  EXPECT_FALSE(pad_prompts(std::span(prompts).first(1), 99).has_padding);
}

TEST_F(Prompts, AreCutOffWhatFollowsThem) {
  const Encoding prompt = tokenizer_->encode("the film");
  const auto id = [&](const char* word) { return std::int64_t{tokenizer_->encode(word).ids[1]}; };
  constexpr std::int64_t kEnd = 3;  // [SEP]
  const GeneratedText text = decode_generated(prompt, {id("was"), id("good"), kEnd}, *tokenizer_);
  EXPECT_EQ(text.text, " was good");
  EXPECT_THAT(text.ids, ElementsAre(id("was"), id("good"), kEnd));
  EXPECT_EQ(decode_generated(prompt, {kEnd}, *tokenizer_).text, "");
  EXPECT_EQ(decode_generated(prompt, {5000}, *tokenizer_).text, "") << "an id without a word";
}

}  // namespace
}  // namespace transformeter
