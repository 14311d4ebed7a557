// Token ids against Hugging Face `tokenizers` (tests/data/tokenizer, by scripts/references/tokenizer_reference.py) and
// against llama.cpp's conformance vectors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "support/shared_data.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tokenizers/reference_streams.h"
#include "tokenizers/text_sets.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

// As the script: "uncased_json", "uncased_vocab", … ; vocab.txt stands alone, so the case is the vocabulary's.
std::unique_ptr<Tokenizer> load_variant(const std::string& variant) {
  const std::size_t cut = variant.find('_');
  const auto folder = shared_data() / "tokenizers" / ("bert-base-" + variant.substr(0, cut));
  if (variant.substr(cut + 1) == "json") return load_tokenizer(folder);
  const TemporaryFolder alone;
  return load_tokenizer(alone.write("vocab.txt", read_file(folder / "vocab.txt")));
}

const std::vector<std::string> kVariants = {"uncased_json", "uncased_vocab", "cased_json", "cased_vocab"};
const std::vector<std::string> kTwoVariants = {"uncased_json", "cased_vocab"};  // for the large sets

// Ids by encode in every variant; ids, tokens and offsets by tokenize in two.
void expect_set(const std::string& name, const std::vector<std::string>& texts,
                const std::vector<std::string>& variants = kVariants) {
  const Json expected = reference("sets.json")["variants"];
  for (const std::string& variant : variants) {
    SCOPED_TRACE(fmt::format("{} {}", name, variant));
    const std::unique_ptr<Tokenizer> tokenizer = load_variant(variant);
    expect_ids(*tokenizer, texts, expected[variant][name]);
    if (std::find(kTwoVariants.begin(), kTwoVariants.end(), variant) != kTwoVariants.end()) {
      expect_tokens(*tokenizer, texts, expected[variant][name]);
    }
  }
}

TEST(HuggingFace, GivesTheSameTokensOnSst2) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("sst2-dev", sst2_texts("dev.tsv", 0));
  expect_set("sst2-test", sst2_texts("test.tsv", 1));
  expect_set("sst2-train", sst2_texts("train.tsv", 0), kTwoVariants);
}

TEST(HuggingFace, GivesTheSameTokensOnXquad) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("xquad-en", xquad_texts("en"));
  expect_set("xquad-zh", xquad_texts("zh"));
}

TEST(HuggingFace, GivesTheSameTokensOnWikiText2) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("wikitext-2-test", wikitext_texts("test.txt"));
  expect_set("wikitext-2-valid", wikitext_texts("valid.txt"));
  expect_set("wikitext-2-train", wikitext_texts("train.txt.gz"), kTwoVariants);
}

TEST(HuggingFace, GivesTheSameTokensOnEveryCodePoint) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("code-points", code_point_texts(), kTwoVariants);
}

TEST(HuggingFace, GivesTheSameTokensOnRandomTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("random", random_texts());
}

TEST(HuggingFace, GivesTheSameIdsOnAwkwardTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json cases = reference("cases.json")["cases"];
  EXPECT_GT(cases.size(), 190u);
  for (const std::string& variant : kVariants) {
    const auto tokenizer = load_variant(variant);
    for (const Json& item : cases) {
      const std::string text = item["text"];
      EXPECT_EQ(tokenizer->encode(text).ids, item["ids"][variant].get<Ids>()) << variant << ": " << item["text"].dump();
    }
  }
}

TEST(HuggingFace, GivesTheSameTokensAndOffsetsOnAwkwardTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto tokenizer = load_variant("uncased_json");
  for (const Json& item : reference("cases.json")["cases"]) {
    const std::string text = item["text"];
    SCOPED_TRACE(item["text"].dump());
    Json words = Json::array();
    Json offsets = Json::array();
    const std::vector<Token> tokens = tokenizer->tokenize(text);
    for (const Token& token : tokens) {
      words.push_back(token.text);
      offsets.push_back(token.characters.begin);
      offsets.push_back(token.characters.end);
    }
    EXPECT_EQ(words, item["tokens"]);
    EXPECT_EQ(offsets, item["offsets"]);
    EXPECT_EQ(ids_of(tokens), item["ids"]["uncased_json"].get<Ids>());
  }
}

TEST(HuggingFace, TruncatesPairsLongestFirst) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto tokenizer = load_variant("uncased_json");
  const Json pairs = reference("cases.json")["pairs"];
  EXPECT_EQ(pairs.size(), 42u) << "six pairs under seven limits";
  for (const Json& item : pairs) {
    SCOPED_TRACE(item.dump());
    EncodeOptions options;
    if (!item["max_length"].is_null()) options.max_length = item["max_length"].get<std::int64_t>();
    const Encoding encoding =
        tokenizer->encode_pair(item["first"].get<std::string>(), item["second"].get<std::string>(), options);
    EXPECT_EQ(encoding.ids, item["ids"].get<Ids>());
    EXPECT_EQ(encoding.type_ids, item["type_ids"].get<Ids>());
  }
}

TEST(LlamaCpp, GivesTheSameIdsOnItsConformanceVectors) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_conformance(*load_variant("uncased_vocab"), "bert-bge.gguf");
}

TEST(TokenizerLoader, ReadsBothFormsAlike) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  for (const std::string name : {"bert-base-uncased", "bert-base-cased"}) {
    const auto folder = shared_data() / "tokenizers" / name;
    const auto json = load_tokenizer(folder);
    const auto words = load_tokenizer(folder / "vocab.txt");
    ASSERT_EQ(json->vocabulary_size(), words->vocabulary_size());
    EXPECT_EQ(json->special_tokens().mask, 103);
    EXPECT_EQ(json->special_tokens().pad, words->special_tokens().pad);
    for (std::int32_t id = 0; id < json->vocabulary_size(); ++id) ASSERT_EQ(json->token(id), words->token(id));
  }
}

}  // namespace
}  // namespace transformeter
