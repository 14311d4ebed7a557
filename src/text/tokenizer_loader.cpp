// Which file of a folder counts, and the reader of vocab.txt.
#include "text/tokenizer_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "text/bert_tokenizer.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_json.h"

namespace transformeter {
namespace {

Error bad(const std::filesystem::path& path, const std::string& message) {
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", path.string(), message));
}

// One word a line, the line number from 0 being its id; a CR before the LF is dropped.
Vocabulary read_words(const std::filesystem::path& path, std::string_view bytes) {
  if (const auto offset = first_invalid_utf8(bytes))
    throw bad(path, fmt::format("not valid UTF-8 at byte {}", *offset));
  Vocabulary words(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1);
  std::int32_t id = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++id) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view word = bytes.substr(begin, end - begin);
    if (!word.empty() && word.back() == '\r') word.remove_suffix(1);
    if (word.empty()) throw bad(path, fmt::format("line {} is empty; every line must hold one word", id + 1));
    if (!words.insert(word, id)) {
      throw bad(path, fmt::format("line {} repeats the word '{}' of line {}", id + 1, word, *words.find(word) + 1));
    }
    begin = end + 1;
  }
  return words;
}

// True for a vocabulary that only a text with its capitals kept can make full use of.
bool has_cased_words(const Vocabulary& words) {
  for (std::int32_t id = 0; id < words.size(); ++id) {
    const std::string_view word = words.token(id);
    if (word.front() == '[' && word.back() == ']') continue;
    if (std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) return true;
  }
  return false;
}

std::int32_t require(const std::filesystem::path& path, const Vocabulary& words, const std::string& token) {
  const auto id = words.find(token);
  if (!id) throw bad(path, fmt::format("the vocabulary lacks the special token '{}'", token));
  return *id;
}

// The tokens tokenizer_config.json lists, else the special tokens.
std::vector<AddedToken> added_tokens(const std::filesystem::path& path, const Vocabulary& words,
                                     const TokenizerConfig& config) {
  if (config.added_tokens.empty()) {
    std::vector<AddedToken> tokens;
    for (const std::string& name :
         {config.pad_token, config.unk_token, config.cls_token, config.sep_token, config.mask_token}) {
      if (const auto id = words.find(name)) tokens.push_back({name, *id});
    }
    return tokens;
  }
  for (const AddedToken& token : config.added_tokens) {
    const auto known = words.find(token.content);
    if (known && *known != token.id) {
      throw bad(path, fmt::format("'{}' has id {}, but {} in added_tokens_decoder of tokenizer_config.json",
                                  token.content, *known, token.id));
    }
  }
  return config.added_tokens;
}

std::unique_ptr<const BertParts> bert_parts_from_words(const std::filesystem::path& path, const TokenizerConfig& config,
                                                       const TokenizerOptions& options) {
  auto parts = std::make_unique<BertParts>();
  parts->bytes = MappedFile(path);
  parts->vocabulary = read_words(path, std::get<MappedFile>(parts->bytes).bytes());
  const Vocabulary& words = parts->vocabulary;
  parts->added_tokens = added_tokens(path, words, config);
  for (const AddedToken& token : parts->added_tokens) {
    if (!words.find(token.content)) parts->beyond_model.insert(token.content, token.id);
  }
  parts->special = {require(path, words, config.pad_token), require(path, words, config.unk_token),
                    require(path, words, config.cls_token), require(path, words, config.sep_token),
                    words.find(config.mask_token)};
  parts->arrangement = bert_arrangement(*parts->special.cls, *parts->special.sep);
  const std::optional<bool> asked = options.lowercase ? options.lowercase : config.do_lower_case;
  parts->normalizer.lowercase = asked ? *asked : !has_cased_words(words);
  parts->normalizer.strip_accents = config.strip_accents;
  parts->normalizer.handle_chinese_chars = config.tokenize_chinese_chars.value_or(true);
  return parts;
}

std::filesystem::path choose_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"tokenizer.json", "vocab.txt"}) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  throw bad_value("tokenizer folder", path.string(), "it must hold tokenizer.json or vocab.txt",
                  "A model folder saved by Hugging Face has one of them.");
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file,
                                          const TokenizerOptions& options) {
  const std::filesystem::path path = choose_file(folder_or_file);
  if (!std::filesystem::exists(path)) {
    throw bad_value("tokenizer", path.string(), "there is no such file or folder");
  }
  const TokenizerConfig config = read_tokenizer_config(path.parent_path() / "tokenizer_config.json");
  const std::string kind = path.extension().string();
  if (kind == ".json") return std::make_unique<BertTokenizer>(bert_parts_from_json(path, config));
  if (kind == ".txt") return std::make_unique<BertTokenizer>(bert_parts_from_words(path, config, options));
  throw bad_value("tokenizer file", path.string(), "its name must end in .json (tokenizer.json) or .txt (vocab.txt)");
}

}  // namespace transformeter
