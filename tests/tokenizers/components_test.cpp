// Every component of tokenizer.json against Hugging Face `tokenizers`: small tokenizers with the ids and places of
// awkward texts (tests/data/tokenizer/components.json, by scripts/references/byte_level_reference.py).
#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "tokenizers/reference_streams.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

void expect_cases(const Tokenizer& tokenizer, const Json& texts, const Json& cases) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i];
    SCOPED_TRACE(texts[i].dump());
    EXPECT_EQ(tokenizer.encode(text).ids, cases[i]["ids"].get<Ids>());
    Ids ids;
    Ids places;
    for (const Token& token : tokenizer.tokenize(text)) {
      ids.push_back(token.id);
      places.push_back(static_cast<std::int32_t>(token.characters.begin));
      places.push_back(static_cast<std::int32_t>(token.characters.end));
    }
    EXPECT_EQ(ids, cases[i]["ids"].get<Ids>()) << "by the way with places";
    EXPECT_EQ(places, cases[i]["offsets"].get<Ids>());
    const Encoding pair = tokenizer.encode_pair(text, "the end");
    EXPECT_EQ(pair.ids, cases[i]["pair_ids"].get<Ids>());
    EXPECT_EQ(pair.type_ids, cases[i]["pair_type_ids"].get<Ids>());
  }
}

TEST(Components, GiveTheSameIdsAndPlacesAsHuggingFace) {
  const Json references = reference("components.json");
  EXPECT_GT(references["components"].size(), 40u);
  const TemporaryFolder folder;
  for (const Json& item : references["components"]) {
    SCOPED_TRACE(item["name"].dump());
    Json file = item["tokenizer"];
    file["model"] = references["models"][file["model"].get<std::size_t>()];
    const auto tokenizer = load_tokenizer(folder.write("tokenizer.json", file.dump()));
    expect_cases(*tokenizer, references["texts"], item["cases"]);
  }
}

// As bert-base-uncased has it: searched in the normalised text, where it is in lower case.
TEST(Components, FindATokenInNormalisedTextInOnePassToo) {
  const Json file = Json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "post_processor": null, "decoder": null,
    "added_tokens": [{"id": 0, "content": "[PAD]", "single_word": true, "lstrip": true, "rstrip": true,
                      "normalized": true, "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "a": 2, "b": 3, "[": 4, "]": 5, "pad": 6, "e": 7}}})");
  const TemporaryFolder folder;
  const auto tokenizer = load_tokenizer(folder.write("tokenizer.json", file.dump()));
  const std::vector<std::pair<std::string, Ids>> cases{{"a [PAD] b", {2, 0, 3}},
                                                       {"A\t[pad]  B", {2, 0, 3}},
                                                       {"[PAD]", {0}},
                                                       {"[PAD] [pad] \u00e9", {0, 0, 7}},
                                                       {"a[pad]b", {2, 4, 6, 5, 3}},
                                                       {"[a] b", {4, 2, 5, 3}},
                                                       {"a b", {2, 3}},
                                                       {"", {}},
                                                       {"\x01", {}}};
  for (const auto& [text, expected] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(tokenizer->encode(text).ids, expected);
    Ids ids;
    for (const Token& token : tokenizer->tokenize(text)) ids.push_back(token.id);
    EXPECT_EQ(ids, expected) << "by the way with places";
  }
}

}  // namespace
}  // namespace transformeter
