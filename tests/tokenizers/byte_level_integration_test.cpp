// Byte-level BPE against Hugging Face `tokenizers` (tests/data/tokenizer/byte_level.json, by
// scripts/references/byte_level_reference.py) and against llama.cpp's conformance vectors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"
#include "tokenizers/reference_streams.h"
#include "tokenizers/text_sets.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

// The files of a model that come without a tokenizer.json, with the configuration they are published with.
std::unique_ptr<Tokenizer> load_plain_files(const std::string& files, const std::string& config) {
  const TemporaryFolder folder;
  const auto source = shared_data() / "tokenizers" / files;
  for (const char* name : {"vocab.json", "merges.txt"}) folder.write(name, read_file(source / name));
  folder.write("tokenizer_config.json", config);
  return load_tokenizer(folder.path());
}

std::unique_ptr<Tokenizer> load_byte_level(const std::string& name) {
  if (name == "opt") {
    return load_plain_files("opt", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": "</s>",
                                       "eos_token": "</s>", "pad_token": "<pad>",
                                       "additional_special_tokens": ["<s>", "<unk>", {"content": "<mask>", "lstrip": true}]})");
  }
  if (name == "roberta") return load_plain_files("opt", R"({"tokenizer_class": "RobertaTokenizer"})");
  return load_tokenizer(shared_data() / "tokenizers" / name);
}

const std::vector<std::string> kTokenizers = {"gpt2", "qwen2", "opt", "roberta"};

void expect_set(const std::string& set, const std::vector<std::string>& texts) {
  const Json expected = reference("byte_level.json")["variants"];
  for (const std::string& name : kTokenizers) {
    SCOPED_TRACE(set + " " + name);
    const auto tokenizer = load_byte_level(name);
    expect_ids(*tokenizer, texts, expected[name][set]);
    expect_tokens(*tokenizer, texts, expected[name][set]);
  }
}

TEST(ByteLevelBpe, GivesTheSameTokensOnSst2) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("sst2-train", sst2_texts("train.tsv", 0));
}

TEST(ByteLevelBpe, GivesTheSameTokensOnWikiText2) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("wikitext-2-test", wikitext_texts("test.txt"));
}

TEST(ByteLevelBpe, GivesTheSameTokensOnXquad) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("xquad-en", xquad_texts("en"));
  expect_set("xquad-zh", xquad_texts("zh"));
}

TEST(ByteLevelBpe, GivesTheSameTokensOnEveryCodePoint) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("code-points", code_point_texts());
}

TEST(ByteLevelBpe, GivesTheSameTokensOnRandomTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("random", random_texts());
}

TEST(ByteLevelBpe, GivesTheSameIdsOnAwkwardTexts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Json cases = reference("byte_level.json")["cases"];
  EXPECT_GT(cases.size(), 190u);
  for (const std::string name : {"gpt2", "qwen2"}) {
    const auto tokenizer = load_byte_level(name);
    for (const Json& item : cases) {
      EXPECT_EQ(tokenizer->encode(item["text"].get<std::string>()).ids, item["ids"][name].get<Ids>())
          << name << ": " << item["text"].dump();
    }
  }
}

TEST(ByteLevelBpe, GivesTheSameIdsOnLlamaCppsConformanceVectors) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_conformance(*load_byte_level("gpt2"), "gpt-2.gguf");
  expect_conformance(*load_byte_level("qwen2"), "qwen2.gguf");
  expect_conformance(*load_byte_level("roberta"), "roberta-bpe.gguf");
}

TEST(ByteLevelBpe, ReadsBothFormsOfGpt2Alike) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto json = load_byte_level("gpt2");
  const auto plain = load_tokenizer(shared_data() / "tokenizers/gpt2/encoder.json");
  ASSERT_EQ(json->vocabulary_size(), plain->vocabulary_size());
  for (std::int32_t id = 0; id < json->vocabulary_size(); ++id) ASSERT_EQ(json->token(id), plain->token(id));
  for (const std::string& text : wikitext_texts("test.txt")) ASSERT_EQ(json->encode(text).ids, plain->encode(text).ids);
}

TEST(ByteLevelBpe, ReadsQwen25WithTheConfigurationOfItsOwn) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto config = read_file(shared_data() / "tokenizers/qwen2.5/tokenizer_config.json");
  const auto tokenizer = load_plain_files("qwen2", config);
  EXPECT_EQ(tokenizer->vocabulary_size(), 151665) << "added tokens up to 151664, as the data's table says";
  EXPECT_EQ(tokenizer->encode("<|im_start|><tool_call>").ids, (Ids{151644, 151657}));
}

Ids places_of(const std::vector<TextSpan>& spans) {
  Ids places;
  for (const TextSpan span : spans) {
    places.push_back(static_cast<std::int32_t>(span.begin));
    places.push_back(static_cast<std::int32_t>(span.end));
  }
  return places;
}

TEST(Tokenizer, CutsLongPassagesIntoTheSameWindows) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto bert = load_tokenizer(shared_data() / "tokenizers/bert-base-uncased");
  const auto roberta = load_byte_level("roberta");
  const Json cases = reference("byte_level.json")["windows"];
  EXPECT_EQ(cases.size(), 10u);
  for (const Json& item : cases) {
    const Tokenizer& tokenizer = item["tokenizer"] == "bert" ? *bert : *roberta;
    const std::string passage = item["passage"];
    const std::int64_t length = item["max_length"];
    SCOPED_TRACE(item["tokenizer"].dump() + " " + std::to_string(length));
    const auto windows =
        tokenizer.encode_pair_windows(item["question"].get<std::string>(), passage,
                                      {.max_length = length, .stride = item["stride"].get<std::int64_t>()});
    ASSERT_EQ(windows.size(), item["windows"].size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      EXPECT_EQ(windows[i].encoding.ids, item["windows"][i]["ids"].get<Ids>());
      EXPECT_EQ(windows[i].encoding.type_ids, item["windows"][i]["type_ids"].get<Ids>());
      EXPECT_EQ(places_of(windows[i].characters), item["windows"][i]["offsets"].get<Ids>());
    }
    EncodeOptions left;
    left.max_length = length;
    left.truncation_side = Side::kLeft;
    EXPECT_EQ(tokenizer.encode(passage, left).ids, item["left"].get<Ids>());
  }
}

}  // namespace
}  // namespace transformeter
