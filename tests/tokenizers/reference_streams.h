// Comparing a tokenizer with what a reference script kept of the original: digests of all ids, places and tokens, and
// the first texts in full.
#pragma once

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
#include "tokenizers/tokenizer.h"

namespace transformeter {

using Ids = std::vector<std::int32_t>;

inline Json reference(const std::string& name) {
  const auto path = source_directory() / "tests/data/tokenizer" / name;
  return parse_json(name, read_file(path));
}

inline void append_little_endian(std::int32_t value, std::string& bytes) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xFF);
}

inline void append_text(const std::vector<Token>& tokens, std::string& stream) {
  for (const Token& token : tokens) stream.append(token.text).append("\n");
  stream.append("\n");
}

inline void append_offsets(const std::vector<Token>& tokens, std::string& stream) {
  for (const Token& token : tokens) {
    append_little_endian(static_cast<std::int32_t>(token.characters.begin), stream);
    append_little_endian(static_cast<std::int32_t>(token.characters.end), stream);
  }
  append_little_endian(-1, stream);
}

inline Ids ids_of(const std::vector<Token>& tokens) {
  Ids ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

inline void expect_ids(const Tokenizer& tokenizer, const std::vector<std::string>& texts, const Json& expected) {
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

inline void expect_tokens(const Tokenizer& tokenizer, const std::vector<std::string>& texts, const Json& expected) {
  std::string ids;
  std::string offsets;
  std::string words;
  for (const std::string& text : texts) {
    const std::vector<Token> tokens = tokenizer.tokenize(text);
    for (const Token& token : tokens) append_little_endian(token.id, ids);
    append_little_endian(-1, ids);
    append_offsets(tokens, offsets);
    append_text(tokens, words);
  }
  EXPECT_EQ(sha256_hex(ids), expected["sha256"].get<std::string>());
  EXPECT_EQ(sha256_hex(offsets), expected["offsets_sha256"].get<std::string>());
  EXPECT_EQ(sha256_hex(words), expected["tokens_sha256"].get<std::string>());
}

/// llama.cpp's vectors of one tokenizer: texts in NAME.inp, ids in NAME.out.
inline void expect_conformance(const Tokenizer& tokenizer, const std::string& name) {
  const std::string stem = (shared_data() / ("conformance/ggml-vocab-" + name)).string();
  const std::string inputs = read_file(stem + ".inp");
  const std::string separator = "\n__ggml_vocab_test__\n";
  const std::vector<std::string> expected = split(read_file(stem + ".out"), '\n');
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < inputs.size(); ++count) {
    const std::size_t end = inputs.find(separator, begin);
    ASSERT_NE(end, std::string::npos);
    std::string ids;
    EncodeOptions options;
    options.add_special_tokens = false;
    const std::string text = inputs.substr(begin, end - begin);
    for (const std::int32_t id : tokenizer.encode(text, options).ids) ids += fmt::format(" {}", id);
    EXPECT_EQ(ids, expected.at(count)) << Json(text).dump();
    begin = end + separator.size();
  }
  EXPECT_EQ(count, 46u);
}

}  // namespace transformeter
