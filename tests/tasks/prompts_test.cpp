// Prompts as rows that end together, and what follows them as text.
#include "tasks/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "support/source_tree.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Prompts : public testing::Test {
 protected:
  Encoding encode(const std::string& text, const PredictionOptions& options) const {
    PredictionModel model{*tokenizer_, {}, 12};
    model.is_encoder_decoder = is_encoder_decoder_;
    return encode_prompt({text, {}, {}}, model, options);
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
  bool is_encoder_decoder_ = false;
};

TEST_F(Prompts, LeaveRoomForNewTokens) {
  PredictionOptions options;
  options.max_new_tokens = 8;
  EXPECT_EQ(encode("a a", options).ids.size(), 4U);
  EXPECT_THAT(error_of("a a a", options), HasSubstr("5 tokens and 8 new ones exceed the limit of 12"));
  options.max_length = 11;
  EXPECT_THAT(error_of("a a", options), HasSubstr("4 tokens and 8 new ones exceed the limit of 11"));
  options.max_length = 100;
  EXPECT_THAT(error_of("a a a", options), HasSubstr("the limit of 12")) << "the model holds no more than it does";
}

TEST_F(Prompts, OfADecoderOfItsOwnNeedNoRoomForNewTokens) {
  is_encoder_decoder_ = true;
  PredictionOptions options;
  options.max_new_tokens = 80;
  options.max_length = 5;
  EXPECT_EQ(encode("a a a", options).ids.size(), 5U);
  options.max_length = 4;
  EXPECT_THAT(error_of("a a a", options), HasSubstr("the text's 5 tokens exceed the limit of 4; shorten the text"));
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

TEST_F(Prompts, AreNotPartOfWhatIsGenerated) {
  const auto id = [&](const char* word) { return std::int64_t{tokenizer_->encode(word).ids[1]}; };
  constexpr std::int64_t kEnd = 3;  // [SEP]
  const GeneratedText text = decode_generated({id("was"), id("good"), kEnd}, *tokenizer_);
  EXPECT_EQ(text.text, "was good");
  EXPECT_THAT(text.ids, ElementsAre(id("was"), id("good"), kEnd));
  EXPECT_EQ(decode_generated({kEnd}, *tokenizer_).text, "");
  EXPECT_EQ(decode_generated({5000}, *tokenizer_).text, "") << "an id without a word";
}

DataSet texts_of(const std::vector<std::string>& texts) {
  DataSet data;
  for (const std::string& text : texts) data.examples.emplace_back().text = text;
  return data;
}

TEST_F(Prompts, AreMeasuredOneByOneAndEndWithTheirText) {
  const DataSet data = texts_of({"the film was very good", "this plot is not funny", "a film", "the plot was a film"});
  CycleOptions options;
  options.open_end = true;
  options.sequence_length = 9;
  const Cycle cycle = measured_prompts(&data, *tokenizer_, options);
  ASSERT_EQ(cycle.batches.size(), static_cast<std::size_t>(kMeasuredPrompts));
  EXPECT_GT(cycle.wrap_count, 0) << "four short texts fill no eight prompts";
  const auto end = row_frame(*tokenizer_).after;
  ASSERT_FALSE(end.empty());
  std::set<std::vector<std::int64_t>> different;
  for (const Batch& prompt : cycle.batches) {
    EXPECT_EQ(prompt.batch_size, 1);
    EXPECT_EQ(prompt.input_ids.size(), 9U);
    EXPECT_FALSE(prompt.has_padding);
    EXPECT_EQ(prompt.input_ids.front(), row_frame(*tokenizer_).before.front());
    EXPECT_EQ(std::count(prompt.input_ids.begin(), prompt.input_ids.end(), end.front()), 0)
        << "a text that has ended does not go on";
    different.insert(prompt.input_ids);
  }
  EXPECT_GT(different.size(), 1U);
  EXPECT_EQ(measured_prompts(&data, *tokenizer_, options).batches[3].input_ids, cycle.batches[3].input_ids);
}

TEST_F(Prompts, AreRandomTokensWithoutData) {
  CycleOptions options;
  options.open_end = true;
  options.sequence_length = 20;
  options.seed = 7;
  const Cycle cycle = measured_prompts(nullptr, *tokenizer_, options);
  ASSERT_EQ(cycle.batches.size(), static_cast<std::size_t>(kMeasuredPrompts));
  EXPECT_EQ(cycle.wrap_count, 0);
  EXPECT_EQ(cycle.batches[0].input_ids.size(), 20U);
  EXPECT_NE(cycle.batches[0].input_ids, cycle.batches[1].input_ids);
  options.seed = 8;
  EXPECT_NE(measured_prompts(nullptr, *tokenizer_, options).batches[0].input_ids, cycle.batches[0].input_ids);
}

TEST_F(Prompts, OfAnEncoderEndAsItsTextsDo) {
  const DataSet data = texts_of({"the film was very good", "this plot is not funny"});
  const std::int32_t end = row_frame(*tokenizer_).after.back();
  CycleOptions options;
  options.sequence_length = 9;
  for (const DataSet* source : {&data, static_cast<const DataSet*>(nullptr)}) {
    for (const Batch& prompt : measured_prompts(source, *tokenizer_, options).batches) {
      EXPECT_EQ(prompt.input_ids.size(), 9U);
      EXPECT_EQ(prompt.input_ids.back(), end);
    }
  }
}

TEST_F(Prompts, FitTheModelTogetherWithWhatFollows) {
  const ModelConfig model = parse_model_config({{"model_type", "llama"}, {"max_position_embeddings", 128}});
  EXPECT_EQ(model.cache_limit, std::nullopt);
  EXPECT_NO_THROW(check_generation_room(100, 28, model));
  try {
    check_generation_room(100, 29, model);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
    EXPECT_THAT(error.what(), HasSubstr("add up to 129 tokens"));
  }
}

TEST_F(Prompts, DoNotOutgrowTheCacheInARequest) {
  const Json factors = {1.0, 1.5};
  const ModelConfig model = parse_model_config(
      {{"model_type", "phi3"},
       {"hidden_size", 8},
       {"num_attention_heads", 2},
       {"max_position_embeddings", 128},
       {"original_max_position_embeddings", 32},
       {"rope_scaling", {{"type", "longrope"}, {"short_factor", factors}, {"long_factor", factors}}}});
  EXPECT_EQ(model.cache_limit, 32) << "known without drawing the model's layers";
  EXPECT_NO_THROW(check_generation_room(25, 8, model)) << "the 33rd token is not read";
  EXPECT_NO_THROW(check_generation_room(33, 8, model)) << "all of it rotates with the long factors";
  for (const std::int64_t prompt : {26, 32}) {
    try {
      check_generation_room(prompt, 8, model);
      ADD_FAILURE() << prompt;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
      EXPECT_THAT(error.what(), HasSubstr("pass 32 tokens"));
      EXPECT_THAT(error.what(), HasSubstr("a prompt_length above 32, or 25 at most"));
    }
  }
}

}  // namespace
}  // namespace transformeter
