// Keys and defaults follow transformers/models/wav2vec2/tokenization_wav2vec2.py of Transformers 5.23.
#include "tokenizers/ctc_vocabulary.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "tokenizers/decoders.h"
#include "tokenizers/tokenizer_config.h"
#include "tokenizers/unicode_normalizers.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostTokens = 1'000'000;  // beyond reason: published vocabularies have some hundreds
constexpr const char* kCtcVocabularyFile = "vocab.json";

void check_is_object(const Json& json, const std::string& where) {
  if (!json.is_object()) throw bad_value(where, excerpt(canonical_json(json)), "a JSON object");
}

// Without members where the file is missing.
Json object_if_there(const fs::path& file) {
  std::error_code code;
  if (!fs::exists(file, code)) return Json::object();
  Json json = parse_json(file.string(), read_file(file));
  check_is_object(json, file.string());
  return json;
}

constexpr const char* kAddedTokens = "added_tokens_decoder";

// As Transformers reads a folder: where tokenizer_config.json does not list added tokens, special_tokens_map.json
// overrides it, and added_tokens.json has them.
Json read_settings(const fs::path& folder) {
  Json settings = object_if_there(folder / "tokenizer_config.json");
  if (settings.contains(kAddedTokens)) return settings;
  settings.update(object_if_there(folder / "special_tokens_map.json"));
  const fs::path file = folder / "added_tokens.json";
  const Json added = object_if_there(file);
  Json& listed = settings[kAddedTokens] = Json::object();
  for (const auto& [token, id] : added.items()) {
    listed[std::to_string(token_id(id, fmt::format("{}: '{}'", file.string(), excerpt(token))))] = {{"content", token}};
  }
  return settings;
}

// A token may be turned off.
bool is_null(const Json& settings, const char* key) {
  return settings.contains(key) && settings[key].is_null();
}

// A string, or the content of an added token; a missing one leaves the value as it is.
void read_token(const Json& settings, const std::string& where, const char* key, std::string& token) {
  if (!settings.contains(key) || settings[key].is_null()) return;
  const Json& value = settings[key];
  const Json& text = value.is_object() && value.contains("content") ? value["content"] : value;
  if (!text.is_string()) throw bad_value(fmt::format("{}: {}", where, key), excerpt(canonical_json(value)), "a text");
  token = text.get<std::string>();
}

void check_class(const Json& settings, const std::string& where) {
  if (!settings.contains("tokenizer_class")) return;
  const Json& name = settings["tokenizer_class"];
  if (name.is_null() || name == "Wav2Vec2CTCTokenizer" || name == "Wav2Vec2Tokenizer") return;
  throw bad_value(where + ": tokenizer_class", excerpt(canonical_json(name)),
                  "\"Wav2Vec2CTCTokenizer\", the only one that speech recognition has");
}

std::vector<std::optional<std::string>> tokens_by_id(const Json& vocabulary, const std::string& where) {
  const auto bad = [&](const Json& value) {
    return bad_value(fmt::format("{}: {}", where, kCtcVocabularyFile), excerpt(canonical_json(value)),
                     "an object of tokens with their IDs");
  };
  if (!vocabulary.is_object() || vocabulary.empty()) throw bad(vocabulary);
  std::vector<std::optional<std::string>> tokens;
  for (const auto& [token, value] : vocabulary.items()) {
    const auto id = whole_number<std::int64_t>(value);
    if (!id || *id < 0 || *id >= kMostTokens) throw bad({{token, value}});
    if (static_cast<std::size_t>(*id) >= tokens.size()) tokens.resize(static_cast<std::size_t>(*id) + 1);
    tokens[static_cast<std::size_t>(*id)] = token;
  }
  return tokens;
}

std::map<std::int64_t, std::string> added_tokens(const Json& settings, const std::string& where) {
  std::map<std::int64_t, std::string> added;
  if (!settings.contains(kAddedTokens) || settings[kAddedTokens].is_null()) return added;
  const std::string place = fmt::format("{}: {}", where, kAddedTokens);
  const Json& listed = settings[kAddedTokens];
  if (!listed.is_object()) throw bad_value(place, excerpt(canonical_json(listed)), "an object of IDs with tokens");
  for (const auto& [key, token] : listed.items()) {
    const auto id = parse_integer(key);
    added[token_id(id ? Json(*id) : Json(key), place)] = added_token(token, place).content;
  }
  return added;
}

// Python's str.upper, of whose characters with several capitals only one is common.
std::string upper_case(std::string_view character) {
  constexpr char32_t kSharpS = 0xDF;
  std::size_t end = 0;
  const char32_t c = next_code_point(character, end);
  if (c == kSharpS) return "SS";
  std::string upper;
  append_utf8(static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))), upper);
  return upper;
}

}  // namespace

CtcVocabulary::CtcVocabulary(const Json& vocabulary, const Json& settings, const std::string& where) {
  if (!settings.is_null()) check_is_object(settings, where + ": tokenizer settings");
  check_class(settings, where);
  if (settings.contains("target_lang") && !settings["target_lang"].is_null()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: target_lang {} is not supported; vocab.json must hold one language alone", where,
                            canonical_json(settings["target_lang"])));
  }
  tokens_ = tokens_by_id(vocabulary, where);
  added_ = added_tokens(settings, where);
  for (const auto& [id, token] : added_) ids_[token] = id;
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    if (tokens_[id]) ids_[*tokens_[id]] = static_cast<std::int64_t>(id);
  }
  has_padding_ = !is_null(settings, "pad_token");
  has_delimiter_ = !is_null(settings, "word_delimiter_token");
  read_token(settings, where, "pad_token", padding_);
  read_token(settings, where, "unk_token", unknown_);
  read_token(settings, where, "word_delimiter_token", delimiter_);
  read_token(settings, where, "replace_word_delimiter_char", delimiter_text_);
  lowers_ = optional_bool(settings, "do_lower_case", where).value_or(false);
  cleans_up_ = optional_bool(settings, "clean_up_tokenization_spaces", where).value_or(false);
}

CtcVocabulary CtcVocabulary::read(const fs::path& folder) {
  const fs::path file = folder / kCtcVocabularyFile;
  std::error_code code;
  if (!fs::exists(file, code)) {
    throw refused_value("model folder", folder.string(),
                        "it has no vocab.json, which says what its classes of frames mean",
                        "Copy it from where the model was published");
  }
  return CtcVocabulary(parse_json(file.string(), read_file(file)), read_settings(folder), folder.string());
}

std::optional<std::int64_t> CtcVocabulary::padding_id() const {
  const auto found = has_padding_ ? ids_.find(padding_) : ids_.end();
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string& CtcVocabulary::token_of(std::int64_t id) const {
  if (id >= 0 && id < size()) {
    const std::optional<std::string>& token = tokens_[static_cast<std::size_t>(id)];
    if (token) return *token;
  }
  const auto added = added_.find(id);
  return added == added_.end() ? unknown_ : added->second;
}

std::string CtcVocabulary::text_of(std::span<const std::int64_t> ids) const {
  std::string text;
  const std::string* last = nullptr;
  for (const std::int64_t id : ids) {
    const std::string& token = token_of(id);
    if (last != nullptr && *last == token) continue;
    last = &token;
    if (has_padding_ && token == padding_) continue;
    text += has_delimiter_ && token == delimiter_ ? delimiter_text_ : token;
  }
  text = std::string(trim(text));
  if (lowers_) text = LowercaseNormalizer().normalize(text);
  return cleans_up_ ? clean_up_tokenization(text) : text;
}

std::int64_t CtcVocabulary::id_of(std::string_view character) const {
  const std::string_view token = character == " " && has_delimiter_ ? delimiter_ : character;
  for (const std::string_view known : {token, std::string_view(unknown_)}) {
    if (const auto found = ids_.find(known); found != ids_.end()) return found->second;
  }
  throw Error(ErrorKind::kBadInput, fmt::format("'{}' is no token of {}, and neither is the unknown token '{}'",
                                                character, kCtcVocabularyFile, unknown_));
}

std::map<std::string, std::int64_t, std::less<>>::const_iterator CtcVocabulary::long_token(
    std::string_view text) const {
  auto longest = ids_.end();
  for (auto token = ids_.begin(); token != ids_.end(); ++token) {
    const std::string& spelt = token->first;
    if (!text.starts_with(spelt) || spelt.empty()) continue;
    std::size_t end = 0;
    next_code_point(spelt, end);
    const bool is_longer = longest == ids_.end() || spelt.size() > longest->first.size();
    if (end < spelt.size() && is_longer) longest = token;
  }
  return longest;
}

std::vector<std::int64_t> CtcVocabulary::ids_of(std::string_view text) const {
  std::vector<std::int64_t> ids;
  std::size_t spaces = 0;       // at the end of `ids`
  bool is_after_token = false;  // of several characters
  for (std::size_t begin = 0; begin < text.size();) {
    if (const auto token = long_token(text.substr(begin)); token != ids_.end()) {
      ids.resize(ids.size() - spaces);
      ids.push_back(token->second);
      begin += token->first.size();
      spaces = 0;
      is_after_token = true;
      continue;
    }
    const std::size_t first = begin;
    next_code_point(text, begin);
    const std::string_view character = text.substr(first, begin - first);
    const bool is_space = trim(character).empty();
    if (is_space && is_after_token) continue;
    const std::string spelt = lowers_ ? upper_case(character) : std::string(character);
    for (std::size_t end = 0; end < spelt.size();) {
      const std::size_t start = end;
      next_code_point(spelt, end);
      ids.push_back(id_of(std::string_view(spelt).substr(start, end - start)));
    }
    spaces = is_space ? spaces + 1 : 0;
    is_after_token = false;
  }
  return ids;
}

}  // namespace transformeter
