// What a speech model's classes of frames mean: Wav2Vec2CTCTokenizer of Transformers, whose texts are made greedily.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

class CtcVocabulary {
 public:
  /// From a folder's vocab.json and, where they are there, tokenizer_config.json and special_tokens_map.json. Throws
  /// Error(kBadInput) naming file and key for what cannot be read, another tokenizer_class, and a vocabulary by
  /// languages; Error(kUnsupported) for target_lang.
  static CtcVocabulary read(const std::filesystem::path& folder);
  /// Of the files' contents; `where` names the folder in errors. Absent settings are null.
  CtcVocabulary(const Json& vocabulary, const Json& settings, const std::string& where);

  /// Classes that a model needs for it: 1 more than the largest ID.
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  /// The text of the largest class of each frame: repetitions count once, then the padding token (CTC's blank) is left
  /// out and the word delimiter becomes a blank, as batch_decode of Transformers 5.23 has it; other special tokens
  /// stay.
  std::string text_of(std::span<const std::int64_t> ids) const;

 private:
  const std::string& token_of(std::int64_t id) const;

  std::vector<std::string> tokens_;  // by ID
  std::string padding_ = "<pad>", unknown_ = "<unk>", delimiter_ = "|", blank_ = " ";
  bool lowers_ = false;
  bool cleans_up_ = false;
};

}  // namespace transformeter
