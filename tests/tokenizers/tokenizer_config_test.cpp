// tokenizer_config.json beside the vocabulary, held against Transformers' AutoTokenizer; references by
// scripts/references/tokenizer_config_sweep.py.
#include "tokenizers/tokenizer_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::unique_ptr<Tokenizer> tokenizer_of(const TemporaryFolder& folder, const Json& layout, const Json& one) {
  for (const auto& [name, text] : layout.items()) folder.write(name, text.get<std::string>());
  for (const auto& [name, text] : one["files"].items()) folder.write(name, text.get<std::string>());
  if (!one["config"].is_null()) folder.write("tokenizer_config.json", one["config"].dump());
  return load_tokenizer(folder.path());
}

TEST(TokenizerConfig, IsObeyedAsTransformersDoes) {
  const std::string name = "config_keys.json";
  const Json references = parse_json(name, read_file(source_directory() / "tests/data/tokenizer" / name));
  ASSERT_GT(references["cases"].size(), 300U);
  for (const Json& one : references["cases"]) {
    const auto label = one["name"].get<std::string>();
    SCOPED_TRACE(fmt::format("{}: {} {}", label, one["text"].dump(), one["pair"].dump()));
    const TemporaryFolder folder;
    const auto tokenizer = tokenizer_of(folder, references["layouts"][label.substr(0, label.find(": "))], one);
    const auto text = one["text"].get<std::string>();
    EncodeOptions options;
    options.max_length = tokenizer->traits().max_length;
    const Encoding encoding = one["pair"].is_null()
                                  ? tokenizer->encode(text, options)
                                  : tokenizer->encode_pair(text, one["pair"].get<std::string>(), options);
    EXPECT_EQ(Json(encoding.ids), one["ids"]);
    EXPECT_EQ(Json(encoding.type_ids), one["type_ids"]);
  }
}

class TokenizerConfigTest : public testing::Test {
 protected:
  TemporaryFolder folder_;

  std::unique_ptr<Tokenizer> with(const Json& config) const {
    folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nA\n");
    folder_.write("tokenizer_config.json", config.dump());
    return load_tokenizer(folder_.path());
  }
  std::string failure_of(const Json& config) const {
    try {
      with(config);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << config.dump();
    return "";
  }
};

TEST_F(TokenizerConfigTest, SaysWhereTextsAreCut) {
  EXPECT_EQ(with({{"model_max_length", 128}})->traits().max_length, 128);
  EXPECT_EQ(with({{"model_max_length", 1e30}})->traits().max_length, std::nullopt) << "Transformers' word for none";
  EXPECT_EQ(with({{"model_max_length", nullptr}, {"max_len", 5}})->traits().max_length, std::nullopt);
  EXPECT_EQ(with({{"max_len", 5}})->traits().max_length, 5) << "its old name";
  EXPECT_EQ(with(Json::object())->traits().max_length, std::nullopt);
  EXPECT_THAT(failure_of({{"model_max_length", 2.5}}), AllOf(HasSubstr("model_max_length"), HasSubstr("2.5")));
  EXPECT_THAT(failure_of({{"model_max_length", 0}}), AllOf(HasSubstr("model_max_length"), HasSubstr("at least 1")));
}

TEST_F(TokenizerConfigTest, GivesTokenTypesOnlyToAModelThatGetsThem) {
  const auto types = [](const Tokenizer& tokenizer) { return tokenizer.encode_pair("a", "a").type_ids; };
  const std::vector<std::int32_t> apart{0, 0, 0, 1, 1};
  const std::vector<std::int32_t> none(5, 0);
  EXPECT_EQ(types(*with({{"tokenizer_class", "BertTokenizer"}})), apart);
  EXPECT_EQ(types(*with({{"tokenizer_class", "DistilBertTokenizer"}})), none);
  EXPECT_EQ(types(*with({{"tokenizer_class", "BertTokenizer"}, {"model_input_names", {"input_ids"}}})), none);
  EXPECT_EQ(types(*with({{"tokenizer_class", "DistilBertTokenizer"}, {"model_input_names", {"token_type_ids"}}})),
            apart);
}

TEST_F(TokenizerConfigTest, LowerCasesUnlessToldOtherwise) {
  EXPECT_EQ(with({{"tokenizer_class", "BertTokenizer"}})->encode("A").ids[1], 5);
  EXPECT_EQ(with({{"do_lower_case", false}})->encode("A").ids[1], 6);
}

TEST_F(TokenizerConfigTest, RefusesWhatItDoesNotObey) {
  EXPECT_THAT(failure_of({{"split_special_tokens", true}}),
              AllOf(HasSubstr("split_special_tokens"), HasSubstr("true")));
  EXPECT_THAT(failure_of({{"fast_tokenizer_files", {"tokenizer.4.0.0.json"}}}),
              AllOf(HasSubstr("fast_tokenizer_files"), HasSubstr("tokenizer.4.0.0.json")));
  EXPECT_THAT(failure_of({{"tokenizer_class", "GPT2Tokenizer"}}),
              AllOf(HasSubstr("tokenizer_class"), HasSubstr("GPT2Tokenizer")));
  EXPECT_THAT(failure_of({{"cls_token", "[START]"}}), AllOf(HasSubstr("cls_token"), HasSubstr("[START]")));
  EXPECT_THAT(failure_of({{"extra_special_tokens", "x"}}), HasSubstr("extra_special_tokens"));
  EXPECT_THAT(failure_of({{"model_input_names", {1}}}), AllOf(HasSubstr("model_input_names"), HasSubstr("[1]")));
  EXPECT_THAT(failure_of({{"fast_tokenizer_files", true}}),
              AllOf(HasSubstr("fast_tokenizer_files"), HasSubstr("true")));
  EXPECT_THAT(failure_of({{"padding_side", "up"}}), AllOf(HasSubstr("padding_side"), HasSubstr("up")));
}

TEST_F(TokenizerConfigTest, RefusesClassesThatAreBuiltInAWayOfTheirOwn) {
  EXPECT_THAT(failure_of({{"tokenizer_class", "BertJapaneseTokenizer"}}), HasSubstr("BertJapaneseTokenizer"));
  folder_.write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
  EXPECT_THAT(failure_of({{"tokenizer_class", "GPTNeoXTokenizerFast"}}),
              AllOf(HasSubstr("tokenizer_class"), HasSubstr("GPTNeoXTokenizer"), HasSubstr("PreTrainedTokenizerFast")));
  EXPECT_EQ(with({{"tokenizer_class", "NoSuchTokenizer"}})->encode("a").ids, std::vector<std::int32_t>{0});
}

TEST_F(TokenizerConfigTest, InfersTheKindOfAModelThatDoesNotSayIt) {
  const auto ids = [&](const char* model) {
    folder_.write("tokenizer.json", fmt::format("{{\"model\": {}}}", model));
    return load_tokenizer(folder_.path())->encode("ab").ids;
  };
  const std::vector<std::int32_t> joined{2};
  EXPECT_EQ(ids(R"({"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})"), joined);
  EXPECT_EQ(ids(R"({"unk_token": "a", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9,
                    "vocab": {"a": 0, "##b": 1, "ab": 2}})"),
            joined);
  EXPECT_EQ(ids(R"({"unk_id": 0, "vocab": [["a", -1.0], ["b", -1.0], ["ab", -1.0]]})"), joined);
  EXPECT_EQ(ids(R"({"unk_token": "a", "vocab": {"a": 0, "b": 1, "ab": 2}})"), joined);
}

TEST_F(TokenizerConfigTest, NamesTheFileThatIsWrong) {
  folder_.write("special_tokens_map.json", R"({"cls_token": 5})");
  EXPECT_THAT(failure_of(Json::object()), AllOf(HasSubstr("special_tokens_map.json: cls_token"), HasSubstr("5")));
}

TEST_F(TokenizerConfigTest, RefusesASideThatIsNone) {
  folder_.write(
      "tokenizer.json",
      R"({"truncation": {"direction": 5}, "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
  EXPECT_THAT(failure_of(Json::object()), AllOf(HasSubstr("truncation"), HasSubstr("Left or Right")));
}

TEST_F(TokenizerConfigTest, GivesNoTokenTheIdOfAWord) {
  folder_.write("tokenizer.json",
                R"({"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "<unk>": 3}, "unk_token": "<unk>"}})");
  EXPECT_THAT(failure_of({{"extra_special_tokens", {"x"}}}), AllOf(HasSubstr("x"), HasSubstr("<unk>")));
}

TEST_F(TokenizerConfigTest, RefusesAVocabularyThatIsNone) {
  folder_.write("tokenizer.json", R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": "abc"}})");
  failure_of({{"tokenizer_class", "CamembertTokenizer"}});
}

TEST_F(TokenizerConfigTest, TakesTheClassOfAWordListFromTheModel) {
  folder_.write("vocab.json", R"({"<s>": 0, "</s>": 1, "<pad>": 2, "<unk>": 3, "<mask>": 4, "a": 5, "b": 6, "ab": 7})");
  folder_.write("merges.txt", "a b\n");
  folder_.write("config.json", R"({"model_type": "roberta"})");
  const std::vector<std::int32_t> framed{0, 7, 1};
  EXPECT_EQ(load_tokenizer(folder_.path())->encode("ab").ids, framed);
}

// Offsets as return_offsets_mapping of Transformers gives them; no file turns their trimming off.
TEST_F(TokenizerConfigTest, TrimsTheOffsetsOfMpnet) {
  folder_.write("vocab.txt", "<s>\n<pad>\n</s>\n[UNK]\na\n\u0120a\n<mask>\n");
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizer", "do_lower_case": false,
                                             "strip_accents": false, "trim_offsets": false})");
  std::vector<std::string> tokens;
  for (const Token& token : load_tokenizer(folder_.path())->tokenize("\u0120a <mask>")) {
    tokens.push_back(fmt::format("{}: {} to {}", token.text, token.characters.begin, token.characters.end));
  }
  EXPECT_THAT(tokens, testing::ElementsAre("<s>: 0 to 0", "\u0120a: 1 to 2", " <mask>: 3 to 9", "</s>: 0 to 0"));
}

TEST_F(TokenizerConfigTest, NamesTheTokenOfMpnetThatIsMissing) {
  EXPECT_THAT(failure_of({{"tokenizer_class", "MPNetTokenizer"}}), AllOf(HasSubstr("vocab.txt"), HasSubstr("'<s>'")));
  folder_.write("tokenizer.json", R"({"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {
                                      "[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "<s>": 3, "</s>": 4, "a": 5}}})");
  EXPECT_THAT(failure_of({{"tokenizer_class", "MPNetTokenizer"}, {"sep_token", nullptr}}), HasSubstr("sep_token"));
  const std::vector<std::int32_t> framed{3, 5, 4};
  EXPECT_EQ(with({{"tokenizer_class", "MPNetTokenizer"}})->encode("a").ids, framed);
}

// Whatever the file says: words end in a mark, are lower-cased, and stand between CLIP's two tokens.
TEST_F(TokenizerConfigTest, MakesTheWordsOfClip) {
  folder_.write("tokenizer.json", R"({"normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
      "model": {"type": "BPE", "merges": [["a", "b</w>"]], "vocab": {"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4,
      "'</w>": 5, "1</w>": 6, "<|startoftext|>": 7, "<|endoftext|>": 8}}})");
  const std::vector<std::int32_t> ids{7, 4, 2, 6, 6, 5, 0, 4, 8};
  const auto tokenizer = with({{"tokenizer_class", "CLIPTokenizer"}});
  EXPECT_EQ(tokenizer->encode("AB   a11'\n<|startoftext|>aab").ids,
            (std::vector<std::int32_t>{7, 4, 2, 6, 6, 5, 7, 0, 4, 8}));
  EXPECT_EQ(tokenizer->encode("ab a11' aAB").ids, ids);
  EXPECT_EQ(tokenizer->decode(std::vector<std::int32_t>{4, 2}), "ab a");
}

TEST_F(TokenizerConfigTest, ReadsClipFromTokenizerJsonAlone) {
  folder_.write("vocab.json", R"({"a": 0, "a</w>": 1, "<|startoftext|>": 2, "<|endoftext|>": 3})");
  folder_.write("merges.txt", "a a</w>\n");
  EXPECT_THAT(failure_of({{"tokenizer_class", "CLIPTokenizer"}}),
              AllOf(HasSubstr("CLIPTokenizer"), HasSubstr("tokenizer.json alone")));
}

// Whatever the file says: blanks part words, and </s> alone stands behind a text.
TEST_F(TokenizerConfigTest, MakesTheWordsOfT5) {
  folder_.write("tokenizer.json", R"({"normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
      "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["\u2581", -2],
      ["\u2581a", -3], ["b", -4], ["<extra_id_1>", 0], ["<extra_id_0>", 0]]}})");
  const auto tokenizer = with({{"tokenizer_class", "T5Tokenizer"}});
  EXPECT_EQ(tokenizer->encode("ab  a?").ids, (std::vector<std::int32_t>{4, 5, 4, 2, 1}));
  EXPECT_EQ(tokenizer->encode("a<extra_id_0>b").ids, (std::vector<std::int32_t>{4, 7, 3, 5, 1}));
  EXPECT_EQ(tokenizer->encode_pair("a", "b").ids, (std::vector<std::int32_t>{4, 1, 3, 5, 1}));
  const auto without = with({{"tokenizer_class", "T5Tokenizer"}, {"extra_ids", 0}});
  EXPECT_NE(without->encode("<extra_id_0>").ids.front(), 7) << "a text like any other";
  EXPECT_THAT(failure_of({{"tokenizer_class", "T5Tokenizer"}, {"extra_ids", -1}}),
              AllOf(HasSubstr("extra_ids"), HasSubstr("-1")));
}

TEST_F(TokenizerConfigTest, RefusesAClassThatNeedsAnotherModelThanTheFileHas) {
  folder_.write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
  EXPECT_THAT(failure_of({{"tokenizer_class", "BertTokenizerFast"}}),
              AllOf(HasSubstr("tokenizer_class"), HasSubstr("BertTokenizer"), HasSubstr("WordPiece"),
                    HasSubstr("WordLevel"), HasSubstr("PreTrainedTokenizerFast")));
}

}  // namespace
}  // namespace transformeter
