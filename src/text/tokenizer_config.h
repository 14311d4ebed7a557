// tokenizer_config.json, as far as a BERT tokenizer depends on it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/added_tokens.h"

namespace transformeter {

struct TokenizerConfig {
  std::optional<bool> do_lower_case;
  std::optional<bool> strip_accents;
  std::optional<bool> tokenize_chinese_chars;
  std::string pad_token = "[PAD]";
  std::string unk_token = "[UNK]";
  std::string cls_token = "[CLS]";
  std::string sep_token = "[SEP]";
  std::string mask_token = "[MASK]";
  std::vector<AddedToken> added_tokens;
};

/// The defaults when `path` does not exist. Throws Error(kBadInput) naming the file and the key.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& path);

/// Members of a JSON object, checked; `where` names the object in errors. Nothing when absent or null.
std::optional<bool> optional_bool(const Json& object, const char* key, const std::string& where);
std::optional<std::string> optional_string(const Json& object, const char* key, const std::string& where);
/// Token ids lie below. Eight times the largest vocabulary published (262,144); the table of tokens by id has a row for
/// each id up to the largest, and one word with a huge id must not fill the memory.
inline constexpr std::int32_t kTokenIdLimit = 1 << 21;
/// A token id: an integer in [0, kTokenIdLimit). Throws Error(kBadInput).
std::int32_t token_id(const Json& value, const std::string& where);
/// The flags and content of an added token; the id is left alone.
AddedToken added_token(const Json& object, const std::string& where);

}  // namespace transformeter
