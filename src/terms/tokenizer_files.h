// The files of a tokenizer in a model's folder: what is read, hashed, fetched and handed on with a model.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace transformeter {

/// Of which a folder needs one, in the order in which they are looked for.
inline constexpr std::array kReadVocabularies{"tokenizer.json", "vocab.json",      "encoder.json",
                                              "vocab.txt",      "tokenizer.model", "spiece.model"};
/// XLM-RoBERTa's, whose ids are not the model's: it is not read, but it is a tokenizer.
inline constexpr const char* kUnreadVocabulary = "sentencepiece.bpe.model";
/// What goes with a vocabulary and changes the ids of a text.
inline constexpr std::array kTokenizerSettings{"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                                               "merges.txt"};
/// What changes only how a conversation becomes a text.
inline constexpr std::array kChatTemplates{"chat_template.jinja", "chat_template.json"};

inline bool is_vocabulary_file(std::string_view name) {
  return name == kUnreadVocabulary ||
         std::find(kReadVocabularies.begin(), kReadVocabularies.end(), name) != kReadVocabularies.end();
}

/// Whether the ids of a text, or of a conversation, depend on a file of that name.
inline bool is_tokenizer_file(std::string_view name) {
  return is_vocabulary_file(name) ||
         std::find(kTokenizerSettings.begin(), kTokenizerSettings.end(), name) != kTokenizerSettings.end() ||
         std::find(kChatTemplates.begin(), kChatTemplates.end(), name) != kChatTemplates.end();
}

}  // namespace transformeter
