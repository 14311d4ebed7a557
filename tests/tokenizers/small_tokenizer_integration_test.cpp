// Small tokenizers of the kinds of T5, XLM-RoBERTa, ALBERT, Llama 2 and Llama 3 against Hugging Face `tokenizers`, and
// decoding with every kind: tests/data/tokenizers/{references,decode}.json.
#include <gtest/gtest.h>

#include "support/shared_data.h"
#include "support/temporary_folder.h"
#include "tokenizers/id_stream.h"
#include "tokenizers/small_tokenizers.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

std::unique_ptr<Tokenizer> load_small(const std::string& name) {
  static const std::string kCharsmap = nmt_nfkc_charsmap();
  Json json = small_reference(name + ".json");
  fill_charsmap(json, kCharsmap);
  const TemporaryFolder folder;
  return load_tokenizer(folder.write("tokenizer.json", json.dump()));
}

class SmallTokenizer : public testing::TestWithParam<std::string> {
 protected:
  Json expected_ = small_reference("references.json").at("tokenizers").at(GetParam());
  std::unique_ptr<Tokenizer> tokenizer_ = load_small(GetParam());
};

TEST_P(SmallTokenizer, GivesTheSameIdsOffsetsAndTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  for (const auto& [name, texts] : reference_sets()) {
    SCOPED_TRACE(name);
    expect_stream(*tokenizer_, texts, expected_.at(name));
    expect_offset_stream(*tokenizer_, texts, expected_.at(name));
  }
}

TEST_P(SmallTokenizer, GivesTheSameOnAwkwardTexts) {
  ASSERT_FALSE(expected_.at("cases").empty());
  for (const Json& item : expected_.at("cases")) {
    SCOPED_TRACE(item.at("text").dump());
    const auto text = item.at("text").get<std::string>();
    Json ids = Json::array();
    Json offsets = Json::array();
    for (const Token& token : tokenizer_->tokenize(text)) {
      ids.push_back(token.id);
      offsets.push_back(token.characters.begin);
      offsets.push_back(token.characters.end);
    }
    EXPECT_EQ(ids, item.at("ids"));
    EXPECT_EQ(Json(tokenizer_->encode(text).ids), item.at("ids"));
    EXPECT_EQ(offsets, item.at("offsets"));
    EXPECT_EQ(tokenizer_->decode(item.at("ids").get<std::vector<std::int32_t>>()),
              item.at("decoded").get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallTokenizer,
                         testing::Values("unigram_t5", "unigram_xlmr", "unigram_albert", "bpe_llama2",
                                         "byte_level_llama3"),
                         [](const auto& test) { return test.param; });

// As decode_references() of the script draws them.
std::vector<std::int32_t> random_ids(RandomStream& stream, std::uint64_t size) {
  std::vector<std::int32_t> ids(stream.below(30));
  for (std::int32_t& id : ids) {
    id = static_cast<std::int32_t>(stream.below(4) == 0 ? stream.below(std::min<std::uint64_t>(300, size))
                                                        : stream.below(size));
  }
  return ids;
}

void expect_decoded(const Tokenizer& tokenizer, const Json& expected) {
  const auto size = expected.at("vocabulary_size").get<std::uint64_t>();
  ASSERT_GE(tokenizer.vocabulary_size(), static_cast<std::int64_t>(size));
  ASSERT_FALSE(expected.at("first").empty());
  RandomStream stream(5);
  std::string texts;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<std::int32_t> ids = random_ids(stream, size);
    for (const bool skip : {false, true}) {
      const std::string text = tokenizer.decode(ids, skip);
      texts.append(text).append("\n");
      const auto place = static_cast<std::size_t>(2 * i + (skip ? 1 : 0));
      if (place >= expected.at("first").size()) continue;
      EXPECT_EQ(Json(ids), expected.at("first").at(place).at("ids"));
      EXPECT_EQ(text, expected.at("first").at(place).at("text").get<std::string>());
    }
  }
  EXPECT_EQ(sha256_hex(texts), expected.at("sha256").get<std::string>());
}

TEST_P(SmallTokenizer, DecodesRandomIdsAlike) {
  expect_decoded(*tokenizer_, small_reference("decode.json").at("tokenizers").at(GetParam()));
}

TEST(Decode, EqualsHuggingFaceOnRealTokenizers) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json expected = small_reference("decode.json").at("tokenizers");
  for (const std::string name : {"bert-base-uncased", "bert-base-cased", "gpt2", "qwen2"}) {
    SCOPED_TRACE(name);
    expect_decoded(*load_tokenizer(shared_data() / "tokenizers" / name), expected.at(name));
  }
}

}  // namespace
}  // namespace transformeter
