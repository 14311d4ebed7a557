// A line's number, from 0, is its word's id.
#include "tokenizers/vocab_txt.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "tokenizers/bert_normalizer.h"
#include "tokenizers/bert_pre_tokenizer.h"
#include "tokenizers/join_added_tokens.h"
#include "tokenizers/make_fused_encoder.h"
#include "tokenizers/tokenizer_class.h"
#include "tokenizers/wordpiece.h"

namespace transformeter {
namespace {

using ClassKind = TokenizerClass::Kind;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error bad(const std::string& where, const std::string& message) {
  return Error(ErrorKind::kBadInput, fmt::format("{}: {}", where, message));
}

// One word a line, the line number from 0 being its id; a CR before the LF and a byte order mark are dropped.
Vocabulary read_words(const std::filesystem::path& path, std::string_view bytes) {
  const auto place = [&](std::int64_t line) { return fmt::format("{}:{}", path.string(), line); };
  if (const auto offset = first_invalid_utf8(bytes)) {
    const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*offset), '\n');
    throw bad(place(line), fmt::format("not valid UTF-8 at byte {} of the file", *offset));
  }
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  Vocabulary words(static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1);
  std::int32_t id = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++id) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view word = bytes.substr(begin, end - begin);
    if (!word.empty() && word.back() == '\r') word.remove_suffix(1);
    if (word.empty()) throw bad(place(id + 1), "the line is empty; every line must contain one word");
    if (!words.insert(word, id)) {
      throw bad(place(id + 1),
                fmt::format("duplicate word '{}', already in line {}", excerpt(word), *words.find(word) + 1));
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
  if (!id)
    throw bad(path.string(), fmt::format("the vocabulary does not contain the special token '{}'", excerpt(token)));
  return *id;
}

BertNormalizerOptions normalizer_options(const Vocabulary& words, ClassKind kind, const TokenizerConfig& config,
                                         const TokenizerOptions& options) {
  BertNormalizerOptions normalizer;
  const std::optional<bool> asked = options.lowercase ? options.lowercase : config.do_lower_case;
  const bool by_default = config.exists || kind == ClassKind::kMpnet || !has_cased_words(words);
  normalizer.lowercase = asked.value_or(by_default);
  normalizer.strip_accents = config.strip_accents;
  normalizer.handle_chinese_chars = config.tokenize_chinese_chars.value_or(true);
  return normalizer;
}

}  // namespace

TokenizerParts parts_from_vocab_txt(const std::filesystem::path& path, const TokenizerConfig& config,
                                    const TokenizerOptions& options) {
  StoredVocabulary vocabulary;
  vocabulary.bytes = std::make_unique<const std::string>(read_file(path));
  vocabulary.words = read_words(path, *vocabulary.bytes);
  const Vocabulary& words = vocabulary.words;
  TokenizerClass chosen = tokenizer_class_of(config, false);
  check_tokenizer_class(chosen, path.string());
  TokenizerConfig without_family = config;
  without_family.model_type.clear();
  const TokenizerClass stated = tokenizer_class_of(without_family, false);
  if (stated.kind != ClassKind::kBert && stated.kind != ClassKind::kMpnet && stated.kind != ClassKind::kFile) {
    throw refused_value(path.string() + ": tokenizer_class", config.tokenizer_class,
                        "a vocab.txt is BERT's or MPNet's: MPNetTokenizer, BertTokenizer, or a class that shares it");
  }
  const bool is_mpnet = chosen.kind == ClassKind::kMpnet;
  if (!is_mpnet && chosen.kind != ClassKind::kBert) {
    chosen.kind = ClassKind::kBert;
    chosen.has_token_types = config.has_token_types.value_or(true);
  }
  const TokenizerConfig named = with_class_tokens(config, chosen.kind, [&](const std::string& token) {
    return find_token(token, config.added_tokens, words).has_value();
  });
  TokenizerParts parts;
  TokenizerTraits& traits = parts.traits;
  parts.added_tokens = config.added_tokens;
  const auto find = [&](const std::string& token) { return find_token(token, parts.added_tokens, words); };
  find_special_tokens(named, path.string(), find);  // a name must be of the vocabulary
  parts.added_tokens = join_added_tokens(named, chosen.kind, config.added_tokens, {}, words);
  parts.normalizer = std::make_unique<BertNormalizer>(normalizer_options(words, chosen.kind, named, options));
  parts.pre_tokenizer = std::make_unique<BertPreTokenizer>();
  parts.decoder = make_decoder({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}, path.string());
  const std::int32_t unknown_id = require(path, words, named.unk_token.value_or("[UNK]"));
  require(path, words, named.cls_token.value_or(is_mpnet ? "<s>" : "[CLS]"));
  require(path, words, named.sep_token.value_or(is_mpnet ? "</s>" : "[SEP]"));
  traits.special = find_special_tokens(named, path.string(), find);
  traits.arrangement = *class_arrangement(chosen, named, traits.special, path.string());
  if (!chosen.has_token_types) traits.arrangement = without_types(std::move(traits.arrangement));
  traits.offset_trim = class_offset_trim(chosen.kind, config);
  traits.truncation_side = named.truncation_side.value_or(Side::kRight);
  traits.has_token_types = chosen.has_token_types;
  traits.max_length = named.model_max_length;
  parts.model = std::make_unique<WordPiece>(std::move(vocabulary), unknown_id, WordPieceOptions());
  parts.fused = make_fused_encoder(parts);
  return parts;
}

bool is_cased_vocabulary(const std::filesystem::path& path) {
  return has_cased_words(read_words(path, read_file(path)));
}

}  // namespace transformeter
