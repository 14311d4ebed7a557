// What a speech model's classes of frames mean: Wav2Vec2CTCTokenizer of Transformers, whose texts are made greedily.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

class CtcVocabulary {
 public:
  /// From a folder's vocab.json and, where they are there, tokenizer_config.json and, where that has no
  /// added_tokens_decoder, special_tokens_map.json, which overrides it, and added_tokens.json. Throws Error(kBadInput)
  /// naming file and key for what cannot be read, another tokenizer_class, and a vocabulary by languages;
  /// Error(kUnsupported) for target_lang.
  static CtcVocabulary read(const std::filesystem::path& folder);
  /// Of vocab.json and tokenizer_config.json; `where` names the folder in errors. Absent settings are null.
  CtcVocabulary(const Json& vocabulary, const Json& settings, const std::string& where);

  /// Classes that a model needs for it: 1 more than the largest ID of vocab.json.
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  /// Of the padding token; none where the settings have none, or it is no token.
  std::optional<std::int64_t> padding_id() const;
  /// The text of the largest class of each frame: repetitions count once, then the padding token (CTC's blank) is left
  /// out and the word delimiter becomes a space, as batch_decode of Transformers 5.23 has it; other special tokens
  /// stay.
  std::string text_of(std::span<const std::int64_t> ids) const;
  /// The IDs of a transcript's tokens, as Transformers encodes labels: characters, those of upper case where the
  /// settings say do_lower_case, and word delimiters in place of spaces. A token of several characters is one, without
  /// the white space around it. A character that is no token has the ID of the unknown one; throws Error(kBadInput)
  /// quoting it where there is none.
  std::vector<std::int64_t> ids_of(std::string_view text) const;

 private:
  const std::string& token_of(std::int64_t id) const;
  /// Of one character as it stands in a transcript.
  std::int64_t id_of(std::string_view character) const;
  /// The longest token of several characters that `text` begins with; end of `ids_`: none.
  std::map<std::string, std::int64_t, std::less<>>::const_iterator long_token(std::string_view text) const;

  std::vector<std::optional<std::string>> tokens_;        // by ID
  std::map<std::int64_t, std::string> added_;             // by IDs, of which those count that vocab.json does not have
  std::map<std::string, std::int64_t, std::less<>> ids_;  // by token
  std::string padding_ = "<pad>", unknown_ = "<unk>", delimiter_ = "|";
  std::string delimiter_text_ = " ";  // what the delimiter becomes
  bool has_padding_ = true;
  bool has_delimiter_ = true;
  bool lowers_ = false;
  bool cleans_up_ = false;
};

}  // namespace transformeter
