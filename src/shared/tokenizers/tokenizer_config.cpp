// Reading JSON members with errors that name file and key.
#include "tokenizers/tokenizer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace transformeter {
namespace {

Error wrong_type(const std::string& where, std::string_view key, std::string_view wanted) {
  return Error(ErrorKind::kBadInput, fmt::format("{}: '{}' must be {}", where, key, wanted));
}

// A special token is written as a string or as an added-token object.
std::optional<std::string> token_name(const Json& config, const char* key, const std::string& where) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return std::nullopt;
  if (found->is_object()) return added_token(*found, where + ": " + key).content;
  if (!found->is_string()) throw wrong_type(where, key, "a string");
  return found->get<std::string>();
}

Side read_side(const Json& config, const char* key, const std::string& where) {
  const std::string side = optional_string(config, key, where).value_or("right");
  if (side != "left" && side != "right") throw unknown_value(where + ": " + key, side, {"left", "right"});
  return side == "left" ? Side::kLeft : Side::kRight;
}

std::string class_name(const Json& config, const std::string& where) {
  std::string name = optional_string(config, "tokenizer_class", where).value_or("");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

void read_added_tokens(const Json& config, const std::string& where, std::vector<AddedToken>& tokens) {
  const auto added = config.find("added_tokens_decoder");
  if (added == config.end() || added->is_null()) return;
  if (!added->is_object()) throw wrong_type(where, "added_tokens_decoder", "an object");
  for (const auto& [key, object] : added->items()) {
    AddedToken token = added_token(object, fmt::format("{}: added_tokens_decoder: {}", where, key));
    const auto id = parse_integer(key);
    token.id =
        token_id(id && *id >= 0 ? Json(static_cast<std::uint64_t>(*id)) : Json(key), where + ": added_tokens_decoder");
    tokens.push_back(std::move(token));
  }
  std::sort(tokens.begin(), tokens.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
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
  const auto id = whole_number<std::int32_t>(value);
  if (!id || *id < 0 || *id >= kTokenIdLimit) {
    throw bad_value(where + ": token id", canonical_json(value),
                    fmt::format("an integer from 0 to {}", kTokenIdLimit - 1));
  }
  return *id;
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
  token.special = optional_bool(object, "special", where).value_or(false);
  token.normalized = optional_bool(object, "normalized", where).value_or(!token.special);
  return token;
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& path) {
  TokenizerConfig config;
  if (!std::filesystem::exists(path)) return config;
  const std::string where = path.string();
  const Json json = parse_json(where, read_file(path));
  if (!json.is_object()) throw wrong_type(where, "the file", "a JSON object");
  config.tokenizer_class = class_name(json, where);
  config.do_lower_case = optional_bool(json, "do_lower_case", where);
  config.strip_accents = optional_bool(json, "strip_accents", where);
  config.tokenize_chinese_chars = optional_bool(json, "tokenize_chinese_chars", where);
  config.add_prefix_space = optional_bool(json, "add_prefix_space", where);
  config.add_bos_token = optional_bool(json, "add_bos_token", where);
  config.add_eos_token = optional_bool(json, "add_eos_token", where);
  config.pad_token = token_name(json, "pad_token", where);
  config.unk_token = token_name(json, "unk_token", where);
  config.cls_token = token_name(json, "cls_token", where);
  config.sep_token = token_name(json, "sep_token", where);
  config.mask_token = token_name(json, "mask_token", where);
  config.bos_token = token_name(json, "bos_token", where);
  config.eos_token = token_name(json, "eos_token", where);
  config.truncation_side = read_side(json, "truncation_side", where);
  read_added_tokens(json, where, config.added_tokens);
  return config;
}

SpecialTokens find_special_tokens(const TokenizerConfig& config, const std::string& where,
                                  const std::function<std::optional<std::int32_t>(const std::string&)>& find) {
  const auto id_of = [&](const std::optional<std::string>& name,
                         std::initializer_list<const char*> usual) -> std::optional<std::int32_t> {
    if (name) {
      const auto id = find(*name);
      if (!id)
        throw Error(ErrorKind::kBadInput,
                    fmt::format("{}: the vocabulary does not contain the special token '{}'", where, excerpt(*name)));
      return id;
    }
    for (const char* candidate : usual) {
      if (const auto id = find(candidate)) return id;
    }
    return std::nullopt;
  };
  SpecialTokens special;
  special.pad = id_of(config.pad_token, {"[PAD]", "<pad>"});
  special.cls = id_of(config.cls_token, {"[CLS]", "<s>"});
  special.sep = id_of(config.sep_token, {"[SEP]", "</s>"});
  special.mask = id_of(config.mask_token, {"[MASK]", "<mask>"});
  special.bos = id_of(config.bos_token, {});
  special.eos = id_of(config.eos_token, {});
  return special;
}

}  // namespace transformeter
