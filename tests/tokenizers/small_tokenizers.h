// The small tokenizers of tests/data/tokenizers and what the originals make of texts with them; see
// scripts/references/small_tokenizers.py.
#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/json.h"
#include "support/source_tree.h"
#include "tokenizers/sentencepiece_file.h"

namespace transformeter {

inline std::filesystem::path small_tokenizers() {
  return source_directory() / "tests/data/tokenizers";
}

inline Json small_reference(const std::string& name) {
  return parse_json(name, read_file(small_tokenizers() / name));
}

inline std::string unigram_model() {
  std::FILE* pipe = ::popen(("gzip -dc '" + (small_tokenizers() / "unigram.model.gz").string() + "'").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start gzip");
  std::string bytes;
  std::string block(1 << 16, '\0');
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) bytes.append(block, 0, count);
  if (::pclose(pipe) != 0) throw std::runtime_error("gzip cannot read unigram.model.gz");
  return bytes;
}

inline std::string encode_base64(std::string_view bytes) {
  static const char* const kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// Fills in every "precompiled_charsmap": null.
inline void fill_charsmap(Json& json, const std::string& charsmap) {
  if (json.is_object() && json.contains("precompiled_charsmap") && json["precompiled_charsmap"].is_null()) {
    json["precompiled_charsmap"] = charsmap;
  }
  if (!json.is_structured()) return;
  for (Json& item : json) fill_charsmap(item, charsmap);
}

/// The nmt_nfkc map of unigram.model.gz in base64.
inline std::string nmt_nfkc_charsmap() {
  return encode_base64(read_sentencepiece_file(unigram_model(), "unigram.model").charsmap);
}

}  // namespace transformeter
