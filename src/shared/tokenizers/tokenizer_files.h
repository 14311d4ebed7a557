// The tokenizer files in a model folder that are read, hashed, fetched and copied with a model.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace transformeter {

/// A folder needs one of these; tried in this order.
inline constexpr std::array kReadVocabularies{"tokenizer.json", "vocab.json",      "encoder.json",
                                              "vocab.txt",      "tokenizer.model", "spiece.model"};
/// XLM-RoBERTa's, whose ids differ from the model's: recognized as a tokenizer, but not read.
inline constexpr const char* kUnreadVocabulary = "sentencepiece.bpe.model";
/// Files besides the vocabulary that affect the ids of a text.
inline constexpr std::array kTokenizerSettings{"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                                               "merges.txt"};
/// Files that only affect how a conversation becomes a text.
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
