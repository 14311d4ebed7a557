// .model files against the original Python library: tests/data/tokenizers/sentencepiece.json.
#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"
#include "tokenizers/id_stream.h"
#include "tokenizers/small_tokenizers.h"
#include "tokenizers/text_sets.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

std::unique_ptr<Tokenizer> load_model(const std::string& name) {
  if (name == "bpe.model") return load_tokenizer(small_tokenizers() / name);
  const TemporaryFolder folder;
  return load_tokenizer(folder.write("spiece.model", unigram_model()));
}

class SentencePieceModel : public testing::TestWithParam<std::string> {
 protected:
  Json expected_ = small_reference("sentencepiece.json").at("models").at(GetParam());
  std::unique_ptr<Tokenizer> tokenizer_ = load_model(GetParam());
};

TEST_P(SentencePieceModel, GivesTheSameIdsAndTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  for (const auto& [name, texts] : reference_sets()) {
    SCOPED_TRACE(name);
    expect_stream(*tokenizer_, texts, expected_.at(name));
  }
}

TEST_P(SentencePieceModel, GivesTheSameOffsetsOnAwkwardTexts) {
  EXPECT_EQ(tokenizer_->vocabulary_size(), expected_.at("vocabulary_size").get<std::int64_t>());
  ASSERT_FALSE(expected_.at("cases").empty());
  for (const Json& item : expected_.at("cases")) {
    SCOPED_TRACE(item.at("text").dump());
    const auto text = item.at("text").get<std::string>();
    Json ids = Json::array();
    Json offsets = Json::array();
    for (const Token& token : tokenizer_->tokenize(text)) {
      ids.push_back(token.id);
      offsets.push_back(token.bytes.begin);  // sentencepiece's own offsets are bytes
      offsets.push_back(token.bytes.end);
    }
    EXPECT_EQ(ids, item.at("ids"));
    EXPECT_EQ(offsets, item.at("offsets"));
    EXPECT_EQ(tokenizer_->decode(item.at("ids").get<std::vector<std::int32_t>>()),
              item.at("decoded").get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SentencePieceModel, testing::Values("unigram.model.gz", "bpe.model"),
                         [](const auto& test) { return test.param.substr(0, test.param.find('.')); });

}  // namespace
}  // namespace transformeter
