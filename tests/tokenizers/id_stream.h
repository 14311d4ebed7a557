// Digests of ids, offsets and decoded texts over whole data sets, as the reference scripts write them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "tokenizers/text_sets.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// The sets of small_tokenizer_reference.py; they need the shared data.
inline std::vector<std::pair<std::string, std::vector<std::string>>> reference_sets() {
  std::vector<std::string> planes;
  int count = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if ((c >= 0xD800 && c <= 0xDFFF) || !(c < 0x20000 || c % 64 == 0 || c >> 9 == 0xE0000 >> 9)) continue;
    if (count++ % 32 == 0) planes.emplace_back();
    planes.back() += 'x';
    append_utf8(c, planes.back());
    planes.back() += 'y';
  }
  return {{"wikitext-2-test", wikitext_texts("test.txt")},
          {"sst2-train", sst2_texts("train.tsv", 0)},
          {"xquad-en", xquad_texts("en")},
          {"xquad-zh", xquad_texts("zh")},
          {"random", random_texts()},
          {"planes", std::move(planes)}};
}

inline void append_id(std::int32_t value, std::string& bytes) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xFF);
}

/// True for the digest expected; where versions of the original differ, for that of any of them.
inline bool is_expected(const Json& expected, const std::string& digest) {
  if (expected.is_string()) return expected == digest;
  return std::any_of(expected.begin(), expected.end(), [&](const Json& version) { return version == digest; });
}

/// Ids with special tokens, and what they decode to without.
inline void expect_stream(const Tokenizer& tokenizer, const std::vector<std::string>& texts, const Json& expected) {
  ASSERT_EQ(texts.size(), expected["texts"].get<std::size_t>());
  std::string ids;
  std::string decoded;
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> own = tokenizer.encode(text).ids;
    for (const std::int32_t id : own) append_id(id, ids);
    append_id(-1, ids);
    decoded.append(tokenizer.decode(own)).append("\n");
  }
  EXPECT_TRUE(is_expected(expected["sha256"], sha256_hex(ids)));
  EXPECT_TRUE(is_expected(expected["decoded_sha256"], sha256_hex(decoded)));
}

/// Ids and offsets of tokenize.
inline void expect_offset_stream(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                                 const Json& expected) {
  std::string ids;
  std::string offsets;
  for (const std::string& text : texts) {
    for (const Token& token : tokenizer.tokenize(text)) {
      append_id(token.id, ids);
      append_id(static_cast<std::int32_t>(token.characters.begin), offsets);
      append_id(static_cast<std::int32_t>(token.characters.end), offsets);
    }
    append_id(-1, ids);
    append_id(-1, offsets);
  }
  EXPECT_EQ(sha256_hex(ids), expected["sha256"].get<std::string>());
  EXPECT_EQ(sha256_hex(offsets), expected["offsets_sha256"].get<std::string>());
}

}  // namespace transformeter
