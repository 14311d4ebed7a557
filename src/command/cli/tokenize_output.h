// How `tokenize` shows texts and their tokens: tables, and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// Texts and the tokens that a tokenizer makes of them, or the other way round.
struct TokenizedText {
  std::string text;
  std::optional<std::string> pair;
  std::optional<std::size_t> window;  // of several over a pair, from 0
  std::vector<Token> tokens;
  bool is_decoded = false;  // the tokens were given, and have no places
};

/// Writes each text to stdout at once: tables with blank lines between, and jsonl. json is one value, and is kept
/// until finish. Of a few texts nothing is written before finish, so that an error comes alone.
class TokenizeOutput {
 public:
  TokenizeOutput(std::string format, std::string model);

  void add(const TokenizedText& one);
  void finish();

 private:
  void write_out();

  std::string format_;
  std::string model_;
  bool is_first_ = true;
  std::string waiting_;
  Json list_ = Json::array();
};

}  // namespace transformeter
