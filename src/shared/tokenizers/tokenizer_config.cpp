// Reading JSON members with errors that name file and key.
#include "tokenizers/tokenizer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace transformeter {
namespace {

bool is_named_token(std::string_view key) {
  constexpr std::array<std::string_view, 7> kNames{"bos_token", "eos_token", "unk_token", "sep_token",
                                                   "pad_token", "cls_token", "mask_token"};
  return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

Error wrong_type(const std::string& where, std::string_view key, std::string_view wanted) {
  return Error(ErrorKind::kBadInput, fmt::format("{}: '{}' must be {}", where, key, wanted));
}

std::string without_fast(std::string name) {
  if (name.ends_with("Fast") && name != "PreTrainedTokenizerFast") name.resize(name.size() - 4);
  return name;
}

std::optional<Side> read_side(const Json& config, const char* key, const std::string& where) {
  const auto side = optional_string(config, key, where);
  if (!side) return std::nullopt;
  if (*side != "left" && *side != "right") throw unknown_value(where + ": " + key, *side, {"left", "right"});
  return *side == "left" ? Side::kLeft : Side::kRight;
}

// A special token written as a string or as an object.
AddedToken special_token(const Json& json, const std::string& where) {
  if (json.is_string() && !json.get_ref<const std::string&>().empty()) {
    return {.content = json.get<std::string>(), .special = true};
  }
  if (!json.is_object()) throw bad_value(where, canonical_json(json), "a token or an object with its content");
  AddedToken token = added_token(json, where);
  token.special = true;
  token.normalized = optional_bool(json, "normalized", where).value_or(false);
  return token;
}

void read_special_token(const Json& config, const char* key, const std::string& where, TokenizerConfig& result,
                        std::optional<std::string>& name) {
  const auto found = config.find(key);
  if (found == config.end()) return;
  if (found->is_null()) {
    result.null_tokens.insert(key);
    return;
  }
  if (!found->is_string() && !found->is_object()) throw wrong_type(where, key, "a string");
  const AddedToken token = special_token(*found, where + ": " + key);
  if (found->is_object()) result.token_flags[token.content] = token;
  name = token.content;
}

// Whole numbers; 1e30 and the like mean none, as Transformers writes it.
std::optional<std::int64_t> read_max_length(const Json& config, const std::string& where) {
  for (const char* key : {"model_max_length", "max_len"}) {
    const auto found = config.find(key);
    if (found == config.end()) continue;
    if (found->is_null()) return std::nullopt;
    constexpr double kNoLimit = 1e15;
    const double length = found->is_number() ? found->get<double>() : 0;
    if (length >= kNoLimit) return std::nullopt;
    if (length < 1 || std::floor(length) != length) {
      throw bad_value(where + ": " + key, canonical_json(*found), "a whole number of tokens, at least 1");
    }
    return static_cast<std::int64_t>(length);
  }
  return std::nullopt;
}

// Whether it is among the inputs that the tokenizer makes; nothing where the file does not list them.
std::optional<bool> makes_input(const Json& config, const char* input, const std::string& where) {
  const auto names = config.find("model_input_names");
  if (names == config.end()) return std::nullopt;
  const auto is_name = [](const Json& name) { return name.is_string(); };
  if (!names->is_array() || !std::all_of(names->begin(), names->end(), is_name)) {
    throw bad_value(where + ": model_input_names", canonical_json(*names), "an array of names");
  }
  return std::find(names->begin(), names->end(), input) != names->end();
}

std::optional<std::int64_t> read_extra_ids(const Json& config, const std::string& where) {
  const auto found = config.find("extra_ids");
  if (found == config.end() || found->is_null()) return std::nullopt;
  const auto count = whole_number<std::int64_t>(*found);
  if (!count || *count < 0 || *count >= kTokenIdLimit) {
    throw bad_value(where + ": extra_ids", canonical_json(*found),
                    fmt::format("an integer from 0 to {}", kTokenIdLimit - 1));
  }
  return count;
}

// Lists of further special tokens, objects of named ones, and members of other names such as image_token.
void read_extra_tokens(const Json& config, const std::string& where, std::vector<AddedToken>& tokens) {
  const auto member = [&](const char* key) {
    const auto found = config.find(key);
    return found == config.end() || found->is_null() || found->empty() ? nullptr : &*found;
  };
  const char* key = "extra_special_tokens";
  const Json* list = member(key);
  if (list == nullptr) list = member(key = "additional_special_tokens");
  const std::string place = fmt::format("{}: {}", where, key);
  if (list != nullptr && !list->is_array() && !list->is_object()) {
    throw bad_value(place, canonical_json(*list), "an array of tokens");
  }
  if (list != nullptr) {
    for (const Json& token : *list) tokens.push_back(special_token(token, place));
  }
  for (const auto& [name, value] : config.items()) {
    if (!name.ends_with("_token") || is_named_token(name)) continue;
    const bool is_token = value.is_string() || (value.is_object() && value.contains("__type"));
    if (is_token) tokens.push_back(special_token(value, where + ": " + name));
  }
}

void read_added_tokens(const Json& config, const std::string& where, std::vector<AddedToken>& tokens) {
  const auto added = config.find("added_tokens_decoder");
  if (added == config.end()) return;
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

// added_tokens.json: an object of tokens and their ids.
void read_added_tokens_file(const std::filesystem::path& path, TokenizerConfig& config) {
  if (!std::filesystem::exists(path)) return;
  const Json json = parse_json(path.string(), read_file(path));
  if (!json.is_object()) throw wrong_type(path.string(), "the file", "a JSON object");
  std::vector<std::string> special;
  for (const auto* name : {&config.pad_token, &config.unk_token, &config.cls_token, &config.sep_token,
                           &config.mask_token, &config.bos_token, &config.eos_token}) {
    if (*name) special.push_back(**name);
  }
  for (const AddedToken& token : config.extra_special_tokens) special.push_back(token.content);
  for (const auto& [content, id] : json.items()) {
    AddedToken token{.content = content};
    token.id = token_id(id, fmt::format("{}: '{}'", path.string(), excerpt(content)));
    token.special = std::find(special.begin(), special.end(), content) != special.end();
    token.normalized = !token.special;
    config.added_tokens.push_back(std::move(token));
  }
  std::sort(config.added_tokens.begin(), config.added_tokens.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

void check_special_tokens_map(const std::filesystem::path& path, const Json& map) {
  for (const auto& [key, value] : map.items()) {
    const std::string place = fmt::format("{}: {}", path.string(), key);
    if (is_named_token(key)) {
      if (!value.is_null()) special_token(value, place);
    } else if ((key == "additional_special_tokens" || key == "extra_special_tokens") && value.is_array()) {
      for (const Json& token : value) special_token(token, place);
    }
  }
}

// The members of special_tokens_map.json replace those of tokenizer_config.json; its lists go behind them.
void merge_special_tokens_map(const std::filesystem::path& path, Json& config) {
  if (!std::filesystem::exists(path)) return;
  Json map = parse_json(path.string(), read_file(path));
  if (!map.is_object()) throw wrong_type(path.string(), "the file", "a JSON object");
  check_special_tokens_map(path, map);  // here, while it is known which file a value comes from
  if (config.contains("additional_special_tokens") && !config.value("extra_special_tokens", Json()).is_array()) {
    config["extra_special_tokens"] = config["additional_special_tokens"];
    config.erase("additional_special_tokens");
  }
  for (auto& [key, value] : map.items()) {
    Json& own = config[key];
    if (key == "extra_special_tokens" && value.is_array() && own.is_array()) {
      for (const Json& token : value) {
        if (std::find(own.begin(), own.end(), token) == own.end()) own.push_back(token);
      }
      continue;
    }
    own = value;
  }
}

// What is read of config.json: which class a folder without one in tokenizer_config.json has.
void read_model_config(const std::filesystem::path& path, TokenizerConfig& config) {
  if (!std::filesystem::exists(path)) return;
  const Json json = parse_json(path.string(), read_file(path));
  if (!json.is_object()) return;  // for whoever reads the model
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  config.model_type = text("model_type");
  if (config.tokenizer_class.empty()) config.tokenizer_class = without_fast(text("tokenizer_class"));
}

void refuse_other_files(const Json& config, const std::string& where) {
  const auto files = config.find("fast_tokenizer_files");
  if (files == config.end() || files->is_null()) return;
  if (!files->is_array()) {
    throw bad_value(where + ": fast_tokenizer_files", canonical_json(*files), "an array of file names");
  }
  for (const Json& file : *files) {
    if (file == "tokenizer.json") continue;
    throw refused_value(where + ": fast_tokenizer_files", canonical_json(file),
                        "a tokenizer.json for some versions of Transformers alone is not read",
                        "Rename the file that is to be used to tokenizer.json, and remove the key.");
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

TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder) {
  TokenizerConfig config;
  const std::filesystem::path path = folder / "tokenizer_config.json";
  const std::string where = path.string();
  config.exists = std::filesystem::exists(path);
  Json json = config.exists ? parse_json(where, read_file(path)) : Json::object();
  if (!json.is_object()) throw wrong_type(where, "the file", "a JSON object");
  config.lists_added_tokens = json.contains("added_tokens_decoder");
  if (!config.lists_added_tokens) merge_special_tokens_map(folder / "special_tokens_map.json", json);
  config.tokenizer_class = without_fast(optional_string(json, "tokenizer_class", where).value_or(""));
  read_model_config(folder / "config.json", config);
  config.do_lower_case = optional_bool(json, "do_lower_case", where);
  config.strip_accents = optional_bool(json, "strip_accents", where);
  config.tokenize_chinese_chars = optional_bool(json, "tokenize_chinese_chars", where);
  config.keep_accents = optional_bool(json, "keep_accents", where);
  config.add_prefix_space = optional_bool(json, "add_prefix_space", where);
  config.trim_offsets = optional_bool(json, "trim_offsets", where);
  config.legacy = optional_bool(json, "legacy", where);
  config.add_bos_token = optional_bool(json, "add_bos_token", where);
  config.add_eos_token = optional_bool(json, "add_eos_token", where);
  config.extra_ids = read_extra_ids(json, where);
  if (optional_bool(json, "split_special_tokens", where).value_or(false)) {
    throw bad_value(where + ": split_special_tokens", "true", "false: special tokens in a text stay whole");
  }
  refuse_other_files(json, where);
  read_special_token(json, "pad_token", where, config, config.pad_token);
  read_special_token(json, "unk_token", where, config, config.unk_token);
  read_special_token(json, "cls_token", where, config, config.cls_token);
  read_special_token(json, "sep_token", where, config, config.sep_token);
  read_special_token(json, "mask_token", where, config, config.mask_token);
  read_special_token(json, "bos_token", where, config, config.bos_token);
  read_special_token(json, "eos_token", where, config, config.eos_token);
  read_extra_tokens(json, where, config.extra_special_tokens);
  config.truncation_side = read_side(json, "truncation_side", where);
  read_side(json, "padding_side", where);  // for its check: it pads nothing here
  config.model_max_length = read_max_length(json, where);
  config.has_token_types = makes_input(json, "token_type_ids", where);
  config.masks_padding = makes_input(json, "attention_mask", where);
  read_added_tokens(json, where, config.added_tokens);
  if (!config.lists_added_tokens) read_added_tokens_file(folder / "added_tokens.json", config);
  return config;
}

SpecialTokens find_special_tokens(const TokenizerConfig& config, const std::string& where,
                                  const std::function<std::optional<std::int32_t>(const std::string&)>& find) {
  const auto id_of = [&](const char* key, const std::optional<std::string>& name,
                         std::initializer_list<const char*> usual) -> std::optional<std::int32_t> {
    if (name) {
      const auto id = find(*name);
      if (id) return id;
      throw Error(ErrorKind::kBadInput, fmt::format("{}: the vocabulary does not contain the special token '{}' ({})",
                                                    where, excerpt(*name), key));
    }
    for (const char* candidate : usual) {
      if (const auto id = find(candidate)) return id;
    }
    return std::nullopt;
  };
  SpecialTokens special;
  special.pad = id_of("pad_token", config.pad_token, {"[PAD]", "<pad>"});
  special.cls = id_of("cls_token", config.cls_token, {"[CLS]", "<s>"});
  special.sep = id_of("sep_token", config.sep_token, {"[SEP]", "</s>"});
  special.mask = id_of("mask_token", config.mask_token, {"[MASK]", "<mask>"});
  special.bos = id_of("bos_token", config.bos_token, {});
  special.eos = id_of("eos_token", config.eos_token, {});
  return special;
}

}  // namespace transformeter
