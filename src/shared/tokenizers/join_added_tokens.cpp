// As Hugging Face's AddedVocabulary takes tokens in, and Transformers 5.23.0 hands them to it.
#include "tokenizers/join_added_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace transformeter {
namespace {

bool same(const AddedToken& a, const AddedToken& b) {
  return a.content == b.content && a.single_word == b.single_word && a.lstrip == b.lstrip && a.rstrip == b.rstrip &&
         a.normalized == b.normalized && a.special == b.special;
}

// A word keeps its id, a new token has the next.
class AddedTokenList {
 public:
  AddedTokenList(std::vector<AddedToken> tokens, const Vocabulary& words) : tokens_(std::move(tokens)), words_(words) {
    for (std::int32_t id = 0; id < words.size(); ++id) next_id_ += words.token(id).empty() ? 0 : 1;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      places_.emplace(tokens_[i].content, i);
      next_id_ = std::max(next_id_, tokens_[i].id + 1);
    }
  }

  bool has(const std::string& content) const { return places_.count(content) > 0; }
  bool has_same(const AddedToken& token) const {
    const auto place = places_.find(token.content);
    return place != places_.end() && same(tokens_[place->second], token);
  }
  void add(AddedToken token) {
    const auto [place, is_new] = places_.emplace(token.content, tokens_.size());
    if (!is_new) {
      token.id = tokens_[place->second].id;
      tokens_[place->second] = std::move(token);
      return;
    }
    const auto word = words_.find(token.content);
    token.id = word ? *word : next_id_;
    next_id_ = std::max(next_id_, token.id + 1);
    tokens_.push_back(std::move(token));
  }
  std::vector<AddedToken> take() {
    std::sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    return std::move(tokens_);
  }

 private:
  std::vector<AddedToken> tokens_;
  std::unordered_map<std::string, std::size_t> places_;  // in tokens_, by content
  const Vocabulary& words_;
  std::int32_t next_id_ = 0;
};

std::vector<std::string> names_of(const TokenizerConfig& config) {
  std::vector<std::string> names;
  for (const auto* name : {&config.bos_token, &config.eos_token, &config.unk_token, &config.sep_token,
                           &config.pad_token, &config.cls_token, &config.mask_token}) {
    if (*name) names.push_back(**name);
  }
  return names;
}

// A special token of which the files give the name alone.
AddedToken plain_name(const std::string& name, const TokenizerConfig& named, TokenizerClass::Kind kind) {
  const bool takes_blanks = kind == TokenizerClass::Kind::kMpnet && name == named.mask_token;
  return {.content = name, .lstrip = takes_blanks, .special = true};
}

}  // namespace

std::vector<AddedToken> join_added_tokens(const TokenizerConfig& named, TokenizerClass::Kind kind,
                                          const std::vector<AddedToken>& listed, std::vector<AddedToken> kept,
                                          const Vocabulary& words) {
  AddedTokenList tokens(std::move(kept), words);
  const std::vector<std::string> names = names_of(named);
  for (AddedToken token : listed) {
    if (tokens.has_same(token)) continue;
    if (std::find(names.begin(), names.end(), token.content) != names.end()) token.special = true;
    tokens.add(std::move(token));
  }
  for (const std::string& name : names) {
    if (tokens.has(name)) continue;
    const auto flags = named.token_flags.find(name);
    tokens.add(flags == named.token_flags.end() ? plain_name(name, named, kind) : flags->second);
  }
  for (const AddedToken& token : named.extra_special_tokens) {
    if (!tokens.has(token.content)) tokens.add(token);
  }
  if (kind == TokenizerClass::Kind::kQwen2) {
    for (const std::string& name : names) tokens.add({.content = name, .special = true});
    for (const AddedToken& token : named.extra_special_tokens) tokens.add({.content = token.content, .special = true});
  }
  return tokens.take();
}

}  // namespace transformeter
