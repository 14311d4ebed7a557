// The texts that scripts/references/tokenizer_reference.py takes its ids from, made again in the same order.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "support/shared_data.h"
#include "tokenizers/bert_characters.h"
#include "tokenizers/utf8.h"

namespace transformeter {

inline std::vector<std::string> sst2_texts(const std::string& file, std::size_t column) {
  std::vector<std::string> texts;
  const std::vector<std::string> lines = split(read_file(shared_data() / "sst2" / file), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty()) texts.push_back(split(lines[i], '\t').at(column));
  }
  return texts;
}

inline std::vector<std::string> xquad_texts(const std::string& language) {
  std::vector<std::string> texts;
  const std::string name = "xquad/xquad." + language + ".json";
  const Json json = parse_json(name, read_file(shared_data() / name));
  for (const Json& article : json["data"]) {
    for (const Json& paragraph : article["paragraphs"]) {
      texts.push_back(paragraph["context"]);
      for (const Json& question : paragraph["qas"]) texts.push_back(question["question"]);
    }
  }
  return texts;
}

inline std::string gunzip(const std::filesystem::path& path) {
  std::FILE* pipe = ::popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start gzip");
  std::string text;
  std::string block(1 << 16, '\0');
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) text.append(block, 0, count);
  if (::pclose(pipe) != 0) throw std::runtime_error("gzip cannot read " + path.string());
  return text;
}

inline std::vector<std::string> wikitext_texts(const std::string& file) {
  const auto path = shared_data() / "wikitext-2" / file;
  return split(file.ends_with(".gz") ? gunzip(path) : read_file(path), '\n');
}

inline std::vector<std::string> code_point_texts() {
  std::vector<std::string> texts;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text = "x";
    append_utf8(c, text);
    texts.push_back(text + "y");
  }
  return texts;
}

/// Texts of 1 to 40 characters of every kind, unassigned ones too.
inline std::vector<std::string> random_texts() {
  struct Kind {
    std::uint64_t weight;
    std::vector<CodePointRange> blocks;
  };
  static const std::vector<Kind> kKinds = {
      {8, {{0x20, 0x7E}}},
      {4, {{0x20, 0x20}}},
      {3, {{0xA1, 0x52F}}},
      {2, {{0x1, 0x1F}}},
      {4,
       {{0x300, 0x36F},
        {0x591, 0x5C7},
        {0x610, 0x61A},
        {0x900, 0xDFF},
        {0x1AB0, 0x1AFF},
        {0x1DC0, 0x1DFF},
        {0x20D0, 0x20F0},
        {0xA8E0, 0xA8F1},
        {0x10A01, 0x10A3F},
        {0x11000, 0x1147F},
        {0x1E000, 0x1E02A}}},
      {3, {{0x3041, 0x30FF}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}}},
      {2, {{0x1E00, 0x206F}, {0x1F300, 0x1FAFF}}},
      {3, {{0x0, 0xD7FF}, {0xE000, 0x10FFFF}}}};
  std::uint64_t total = 0;
  for (const Kind& kind : kKinds) total += kind.weight;
  RandomStream stream(20240607);
  std::vector<std::string> texts(20000);
  for (std::string& text : texts) {
    for (std::uint64_t left = 1 + stream.below(40); left > 0; --left) {
      std::uint64_t place = stream.below(total);
      std::size_t kind = 0;
      for (; place >= kKinds[kind].weight; ++kind) place -= kKinds[kind].weight;
      const std::vector<CodePointRange>& blocks = kKinds[kind].blocks;
      const CodePointRange& block = blocks[stream.below(blocks.size())];
      append_utf8(static_cast<char32_t>(block.first + stream.below(block.last - block.first + 1U)), text);
    }
  }
  return texts;
}

}  // namespace transformeter
