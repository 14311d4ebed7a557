// Reading JSON members with errors that name file and key.
#include "text/tokenizer_config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace transformeter {
namespace {

Error wrong_type(const std::string& where, std::string_view key, std::string_view wanted) {
  return Error(ErrorKind::kBadInput, fmt::format("{}: '{}' must be {}", where, key, wanted));
}

// A special token is written as a string or as an added-token object.
void read_token_name(const Json& config, const char* key, const std::string& where, std::string& name) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return;
  if (found->is_object()) {
    name = added_token(*found, where + ": " + key).content;
  } else if (found->is_string()) {
    name = found->get<std::string>();
  } else {
    throw wrong_type(where, key, "a string");
  }
}

}  // namespace

std::optional<bool> optional_bool(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_boolean()) throw wrong_type(where, key, "true or false");
  return found->get<bool>();
}

std::optional<std::string> optional_string(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) throw wrong_type(where, key, "a string");
  return found->get<std::string>();
}

std::int32_t token_id(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= kTokenIdLimit) {
    throw bad_value(where + ": token id", canonical_json(value),
                    fmt::format("an integer from 0 to {}", kTokenIdLimit - 1));
  }
  return value.get<std::int32_t>();
}

AddedToken added_token(const Json& object, const std::string& where) {
  if (!object.is_object()) throw wrong_type(where, "added token", "an object");
  AddedToken token;
  const auto content = optional_string(object, "content", where);
  if (!content || content->empty()) throw wrong_type(where, "content", "a string of at least one character");
  token.content = *content;
  token.single_word = optional_bool(object, "single_word", where).value_or(false);
  token.lstrip = optional_bool(object, "lstrip", where).value_or(false);
  token.rstrip = optional_bool(object, "rstrip", where).value_or(false);
  const bool special = optional_bool(object, "special", where).value_or(false);
  token.normalized = optional_bool(object, "normalized", where).value_or(!special);
  return token;
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& path) {
  TokenizerConfig config;
  if (!std::filesystem::exists(path)) return config;
  const std::string where = path.string();
  const Json json = parse_json(where, read_file(path));
  if (!json.is_object()) throw wrong_type(where, "the file", "a JSON object");
  config.do_lower_case = optional_bool(json, "do_lower_case", where);
  config.strip_accents = optional_bool(json, "strip_accents", where);
  config.tokenize_chinese_chars = optional_bool(json, "tokenize_chinese_chars", where);
  read_token_name(json, "pad_token", where, config.pad_token);
  read_token_name(json, "unk_token", where, config.unk_token);
  read_token_name(json, "cls_token", where, config.cls_token);
  read_token_name(json, "sep_token", where, config.sep_token);
  read_token_name(json, "mask_token", where, config.mask_token);
  const auto added = json.find("added_tokens_decoder");
  if (added == json.end() || added->is_null()) return config;
  if (!added->is_object()) throw wrong_type(where, "added_tokens_decoder", "an object");
  for (const auto& [key, object] : added->items()) {
    AddedToken token = added_token(object, fmt::format("{}: added_tokens_decoder: {}", where, key));
    const auto id = parse_integer(key);
    token.id =
        token_id(id && *id >= 0 ? Json(static_cast<std::uint64_t>(*id)) : Json(key), where + ": added_tokens_decoder");
    config.added_tokens.push_back(std::move(token));
  }
  return config;
}

}  // namespace transformeter
