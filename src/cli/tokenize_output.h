// How `tokenize` shows texts and their tokens: tables, and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/tokenizer.h"

namespace transformeter {

/// Texts and the tokens that a tokenizer makes of them, or the other way round.
struct TokenizedText {
  std::string text;
  std::optional<std::string> pair;
  std::optional<std::size_t> window;  // of several over a pair, from 0
  std::vector<Token> tokens;
  bool is_decoded = false;  // the tokens were given, and have no places
};

/// One table for each, blank lines between.
std::string tables_of(const std::vector<TokenizedText>& texts);
Json json_of(const TokenizedText& one);

}  // namespace transformeter
