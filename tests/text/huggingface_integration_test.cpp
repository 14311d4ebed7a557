// Token ids against Hugging Face `tokenizers` (tests/data/tokenizer, by scripts/references/tokenizer_reference.py) and
// against llama.cpp's conformance vectors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "support/shared_data.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "text/bert_characters.h"
#include "text/tokenizer_loader.h"

namespace transformeter {
namespace {

using Ids = std::vector<std::int32_t>;

Json reference(const std::string& name) {
  const auto path = source_directory() / "tests/data/tokenizer" / name;
  return parse_json(name, read_file(path));
}

// As the script: "uncased_json", "uncased_vocab", … ; vocab.txt stands alone, so the case is the vocabulary's.
std::unique_ptr<Tokenizer> load_variant(const std::string& variant) {
  const std::size_t cut = variant.find('_');
  const auto folder = shared_data() / "tokenizers" / ("bert-base-" + variant.substr(0, cut));
  if (variant.substr(cut + 1) == "json") return load_tokenizer(folder);
  const TemporaryFolder alone;
  return load_tokenizer(alone.write("vocab.txt", read_file(folder / "vocab.txt")));
}

std::vector<std::string> column(const std::string& file, std::size_t index) {
  std::vector<std::string> texts;
  const std::vector<std::string> lines = split(read_file(shared_data() / "sst2" / file), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty()) texts.push_back(split(lines[i], '\t').at(index));
  }
  return texts;
}

std::vector<std::string> chinese_texts() {
  std::vector<std::string> texts;
  const Json json = parse_json("xquad.zh", read_file(shared_data() / "xquad/xquad.zh.json"));
  for (const Json& article : json["data"]) {
    for (const Json& paragraph : article["paragraphs"]) {
      texts.push_back(paragraph["context"]);
      for (const Json& question : paragraph["qas"]) texts.push_back(question["question"]);
    }
  }
  return texts;
}

std::vector<std::string> code_points() {
  std::vector<std::string> texts;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text = "x";
    append_utf8(c, text);
    texts.push_back(text + "y");
  }
  return texts;
}

void append_little_endian(std::int32_t value, std::string& bytes) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xFF);
}

void expect_stream(const Tokenizer& tokenizer, const std::vector<std::string>& texts, const Json& expected) {
  ASSERT_EQ(texts.size(), expected["texts"].get<std::size_t>());
  std::string stream;
  std::size_t total = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Ids ids = tokenizer.encode(texts[i]).ids;
    if (i < expected["first"].size()) {
      EXPECT_EQ(ids, expected["first"][i].get<Ids>()) << texts[i];
    }
    for (const std::int32_t id : ids) append_little_endian(id, stream);
    append_little_endian(-1, stream);
    total += ids.size();
  }
  EXPECT_EQ(total, expected["ids"].get<std::size_t>());
  EXPECT_EQ(sha256_hex(stream), expected["sha256"].get<std::string>());
}

const std::vector<std::string> kVariants = {"uncased_json", "uncased_vocab", "cased_json", "cased_vocab"};

void expect_set(const std::string& name, const std::vector<std::string>& texts,
                const std::vector<std::string>& variants = kVariants) {
  const Json expected = reference("sets.json")["variants"];
  for (const std::string& variant : variants) {
    SCOPED_TRACE(variant);
    expect_stream(*load_variant(variant), texts, expected[variant][name]);
  }
}

TEST(HuggingFace, GivesTheSameIdsOnSst2) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("sst2-dev", column("dev.tsv", 0));
  expect_set("sst2-test", column("test.tsv", 1));
  expect_set("sst2-train", column("train.tsv", 0));
}

TEST(HuggingFace, GivesTheSameIdsOnChinese) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("xquad-zh", chinese_texts());
}

TEST(HuggingFace, GivesTheSameIdsOnEveryCodePoint) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  expect_set("code-points", code_points(), {"uncased_json", "cased_vocab"});
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
  const std::string stem = (shared_data() / "conformance/ggml-vocab-bert-bge.gguf").string();
  const std::string inputs = read_file(stem + ".inp");
  const std::string separator = "\n__ggml_vocab_test__\n";
  const std::vector<std::string> expected = split(read_file(stem + ".out"), '\n');
  const auto tokenizer = load_variant("uncased_vocab");
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < inputs.size(); ++count) {
    const std::size_t end = inputs.find(separator, begin);
    ASSERT_NE(end, std::string::npos);
    std::string ids;
    EncodeOptions options;
    options.add_special_tokens = false;
    const std::string text = inputs.substr(begin, end - begin);
    for (const std::int32_t id : tokenizer->encode(text, options).ids) ids += fmt::format(" {}", id);
    EXPECT_EQ(ids, expected.at(count)) << Json(text).dump();
    begin = end + separator.size();
  }
  EXPECT_EQ(count, 46u);
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
