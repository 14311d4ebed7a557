// tokenizer_config.json and the files beside it, as far as tokenizers depend on them; and readers of JSON members that
// name file and key in errors.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "tokenizers/added_tokens.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// What the file says; nothing where it says nothing.
struct TokenizerConfig {
  std::string tokenizer_class;  // without the "Fast" some names end in; empty: not said
  std::optional<bool> do_lower_case;
  std::optional<bool> strip_accents;
  std::optional<bool> tokenize_chinese_chars;
  std::optional<bool> keep_accents;
  std::optional<bool> add_prefix_space;
  std::optional<bool> trim_offsets;
  std::optional<bool> legacy;
  std::optional<bool> add_bos_token;
  std::optional<bool> add_eos_token;
  std::optional<std::int64_t> extra_ids;  // of T5: how many tokens <extra_id_0>, <extra_id_1>, … there are
  std::optional<std::string> pad_token;
  std::optional<std::string> unk_token;
  std::optional<std::string> cls_token;
  std::optional<std::string> sep_token;
  std::optional<std::string> mask_token;
  std::optional<std::string> bos_token;
  std::optional<std::string> eos_token;
  std::optional<Side> truncation_side;
  std::optional<std::int64_t> model_max_length;   // tokens that a text is cut to; nothing: no limit
  std::optional<bool> has_token_types;            // whether model_input_names has token_type_ids
  std::optional<bool> masks_padding;              // the same of attention_mask
  std::vector<AddedToken> added_tokens;           // with ids, by id: of added_tokens_decoder, else of added_tokens.json
  bool lists_added_tokens = false;                // it has added_tokens_decoder
  std::set<std::string> null_tokens;              // keys of special tokens that are null, where a class would have one
  std::map<std::string, AddedToken> token_flags;  // of special tokens that are given as objects, by content
  std::vector<AddedToken> extra_special_tokens;   // without ids
  bool exists = false;                            // the file is there
  std::string model_type;                         // of config.json; empty: not said
};

/// Of tokenizer_config.json in `folder`, with special_tokens_map.json and added_tokens.json where Transformers still
/// reads them, and what config.json says of the tokenizer. All empty when none exists. Throws Error(kBadInput) naming
/// the file and the key, also for what is not obeyed: split_special_tokens, and another file than tokenizer.json in
/// fast_tokenizer_files.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

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

/// Ids of the special tokens: by the names of `config`, else by the names most vocabularies use ([PAD] or <pad>, [CLS]
/// or <s>, …); `find` gives the id of a token. A name the file gives must be found: throws Error(kBadInput) else.
SpecialTokens find_special_tokens(const TokenizerConfig& config, const std::string& where,
                                  const std::function<std::optional<std::int32_t>(const std::string&)>& find);

}  // namespace transformeter
