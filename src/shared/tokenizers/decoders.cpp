// Decoders that work on characters; those on bytes are in byte_decoders.cpp.
#include "tokenizers/decoders.h"

#include <algorithm>
#include <array>

namespace transformeter {

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string made;
  std::size_t begin = 0;
  while (!from.empty()) {
    const std::size_t found = text.find(from, begin);
    if (found == std::string_view::npos) break;
    made.append(text.substr(begin, found - begin)).append(to);
    begin = found + from.size();
  }
  return made.append(text.substr(begin));
}

std::string clean_up_tokenization(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{{" .", "."},
                                                                                     {" ?", "?"},
                                                                                     {" !", "!"},
                                                                                     {" ,", ","},
                                                                                     {" ' ", "'"},
                                                                                     {" n't", "n't"},
                                                                                     {" 'm", "'m"},
                                                                                     {" do not", " don't"},
                                                                                     {" 's", "'s"},
                                                                                     {" 've", "'ve"},
                                                                                     {" 're", "'re"}}};
  std::string clean(text);
  for (const auto& [from, to] : kRules) clean = replace_all(clean, from, to);
  return clean;
}

std::vector<std::string> WordPieceDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i > 0) token = token.starts_with(prefix_) ? token.substr(prefix_.size()) : " " + token;
    if (cleanup_) token = clean_up_tokenization(token);
  }
  return tokens;
}

std::vector<std::string> MetaspaceDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = replace_all(tokens[i], mark_, i == 0 && prepended_ ? "" : " ");
  }
  return tokens;
}

std::vector<std::string> FuseDecoder::decode_chain(std::vector<std::string> tokens) const {
  std::string whole;
  for (const std::string& token : tokens) whole += token;
  return {std::move(whole)};
}

std::vector<std::string> StripDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (std::string& token : tokens) {
    std::string_view rest = token;
    for (std::size_t i = 0; i < start_ && rest.starts_with(character_); ++i) rest.remove_prefix(character_.size());
    for (std::size_t i = 0; i < stop_ && rest.ends_with(character_); ++i) rest.remove_suffix(character_.size());
    token = std::string(rest);
  }
  return tokens;
}

std::vector<std::string> ReplaceDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (std::string& token : tokens) token = replace_->normalize(token);
  return tokens;
}

std::vector<std::string> BpeDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = replace_all(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
  }
  return tokens;
}

std::vector<std::string> CtcDecoder::decode_chain(std::vector<std::string> tokens) const {
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  std::vector<std::string> kept;
  for (const std::string& token : tokens) {
    std::string text = replace_all(token, options_.pad_token, "");
    if (options_.cleanup) text = replace_all(clean_up_tokenization(text), options_.word_delimiter_token, " ");
    if (!text.empty()) kept.push_back(std::move(text));
  }
  return kept;
}

std::vector<std::string> SequenceDecoder::decode_chain(std::vector<std::string> tokens) const {
  for (const auto& step : steps_) tokens = step->decode_chain(std::move(tokens));
  return tokens;
}

}  // namespace transformeter
