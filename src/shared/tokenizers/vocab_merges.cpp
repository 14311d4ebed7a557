// The class that tokenizer_config.json names says what the two files do not: how text is split, and the special tokens
// around it.
#include "tokenizers/vocab_merges.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "tokenizers/bpe.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/gpt_splitters.h"
#include "tokenizers/join_added_tokens.h"
#include "tokenizers/make_fused_encoder.h"
#include "tokenizers/make_model.h"
#include "tokenizers/merge_table_builder.h"
#include "tokenizers/sequence_pre_tokenizer.h"
#include "tokenizers/tokenizer_class.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/unicode_normalizers.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

using ClassKind = TokenizerClass::Kind;

// The class that the files name, or that config.json's model_type has.
ClassKind kind_of(const TokenizerClass& chosen, const fs::path& vocab, const Vocabulary& words) {
  check_tokenizer_class(chosen, vocab.string());
  if (chosen.kind == ClassKind::kGpt2 || chosen.kind == ClassKind::kRoberta || chosen.kind == ClassKind::kQwen2)
    return chosen.kind;
  if (chosen.kind == ClassKind::kClip) {
    throw refused_value(vocab.string() + ": tokenizer_class", chosen.name, "it is read from tokenizer.json alone",
                        "Load it with Transformers and save it again");
  }
  if (!chosen.name.empty()) {
    throw unknown_value(vocab.string() + ": tokenizer_class", chosen.name,
                        {"GPT2Tokenizer", "Qwen2Tokenizer", "RobertaTokenizer"});
  }
  // GPT-2's own files came without a configuration; RoBERTa's vocabulary and OPT's have <s>.
  if (words.find("<|endoftext|>") && !words.find("<s>")) return ClassKind::kGpt2;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: GPT-2, RoBERTa, OPT and Qwen2 all use vocab.json and merges.txt; add a "
                          "tokenizer_config.json with the \"tokenizer_class\" GPT2Tokenizer (with \"add_bos_token\": "
                          "true for OPT), RobertaTokenizer or Qwen2Tokenizer",
                          vocab.string()));
}

StoredVocabulary read_vocabulary(const fs::path& path) {
  TokenizerJson file = parse_vocabulary_json(path.string(), MappedFile(path).bytes());
  if (file.vocabulary.empty()) {
    throw Error(ErrorKind::kBadInput, path.string() + ": the file must contain an object of tokens and their ids");
  }
  return take_vocabulary(file, path.string());
}

// Words of several characters that are neither merged nor added tokens can never come out: merges are missing. Some
// vocabularies are filled up to a round size with a few.
void check_complete(const fs::path& path, const Vocabulary& words, const std::vector<bool>& is_made,
                    const std::vector<AddedToken>& added) {
  constexpr std::size_t kMaxUnmade = 16;
  std::vector<std::string_view> unmade;
  for (std::int32_t id = 0; id < words.size(); ++id) {
    const std::string_view word = words.token(id);
    std::size_t first_end = 0;
    if (word.empty() || is_made[static_cast<std::size_t>(id)]) continue;
    next_code_point(word, first_end);
    const bool is_added = std::any_of(added.begin(), added.end(), [&](const auto& token) { return token.id == id; });
    if (first_end < word.size() && !is_added) unmade.push_back(word);
  }
  if (unmade.size() <= kMaxUnmade) return;
  throw Error(
      ErrorKind::kBadInput,
      fmt::format(
          "{}: no merge produces {} words of the vocabulary, e.g. '{}': the file is truncated or belongs to another "
          "model's",
          path.string(), unmade.size(), excerpt(unmade.front())));
}

MergeTable read_merges(const fs::path& path, const Vocabulary& words, const std::vector<AddedToken>& added) {
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  MergeTableBuilder table(words, "", static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')));
  std::vector<bool> is_made(static_cast<std::size_t>(words.size()));
  std::size_t line_number = 0;
  const auto where = [&] { return fmt::format("{}:{}", path.string(), line_number); };
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    const std::size_t blank = line.find(' ');
    if (blank == 0 || blank >= line.size() - 1 || line.find(' ', blank + 1) != std::string_view::npos) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("{}: '{}' must be two tokens separated by a space", where(), excerpt(line)));
    }
    is_made[static_cast<std::size_t>(table.add(line.substr(0, blank), line.substr(blank + 1), where))] = true;
  }
  if (table.size() == 0) throw Error(ErrorKind::kBadInput, path.string() + ": the file contains no merges");
  check_complete(path, words, is_made, added);
  return table.take();
}

std::unique_ptr<const PreTokenizer> pre_tokenizer_of(ClassKind kind, bool add_prefix_space) {
  if (kind != ClassKind::kQwen2) {
    return std::make_unique<ByteLevelPreTokenizer>(add_prefix_space, std::make_unique<Gpt2Splitter>());
  }
  std::vector<std::unique_ptr<const PreTokenizer>> steps;
  steps.push_back(std::make_unique<Gpt4Splitter>(1));
  steps.push_back(std::make_unique<ByteLevelPreTokenizer>(add_prefix_space, nullptr));
  return std::make_unique<SequencePreTokenizer>(std::move(steps));
}

// add_bos_token and add_eos_token count where the token is set.
Arrangement arrangement_of(const TokenizerClass& chosen, const fs::path& vocab, const TokenizerConfig& named,
                           const SpecialTokens& special) {
  if (auto of_class = class_arrangement(chosen, named, special, vocab.string())) return std::move(*of_class);
  const auto asked = [](const std::optional<bool>& flag, std::optional<std::int32_t> id) {
    return flag.value_or(false) ? id : std::nullopt;
  };
  return framed_arrangement(asked(named.add_bos_token, special.bos), asked(named.add_eos_token, special.eos));
}

}  // namespace

TokenizerParts parts_from_vocab_merges(const fs::path& vocab, const TokenizerConfig& config) {
  const fs::path merges = vocab.parent_path() / "merges.txt";
  if (!fs::exists(merges)) {
    throw refused_value("tokenizer file", vocab.string(), "merges.txt must be next to it");
  }
  StoredVocabulary vocabulary = read_vocabulary(vocab);
  const Vocabulary& words = vocabulary.words;
  const bool add_prefix_space = config.add_prefix_space.value_or(false);
  TokenizerParts parts;
  TokenizerClass chosen = tokenizer_class_of(config, false);
  if (chosen.name.empty()) chosen.has_token_types = config.has_token_types.value_or(true);
  chosen.kind = kind_of(chosen, vocab, words);
  const TokenizerConfig named = with_class_tokens(config, chosen.kind, [&](const std::string& token) {
    return find_token(token, config.added_tokens, words).has_value();
  });
  const auto find = [&](const std::string& token) { return find_token(token, parts.added_tokens, words); };
  TokenizerTraits& traits = parts.traits;
  parts.added_tokens = config.added_tokens;
  find_special_tokens(named, vocab.string(), find);  // a name must be of the vocabulary
  parts.added_tokens = join_added_tokens(named, chosen.kind, config.added_tokens, {}, words);
  check_added_tokens(parts.added_tokens, words, vocab.parent_path().string());
  MergeTable table = read_merges(merges, words, parts.added_tokens);
  traits.special = find_special_tokens(named, vocab.string(), find);
  traits.arrangement = arrangement_of(chosen, vocab, named, traits.special);
  if (!chosen.has_token_types) traits.arrangement = without_types(std::move(traits.arrangement));
  traits.offset_trim = class_offset_trim(chosen.kind, config);
  traits.truncation_side = config.truncation_side.value_or(Side::kRight);
  traits.has_token_types = chosen.has_token_types;
  traits.max_length = config.model_max_length;
  if (chosen.kind == ClassKind::kQwen2) parts.normalizer = std::make_unique<UnicodeNormalizer>(NormalForm::kNfc);
  parts.pre_tokenizer = pre_tokenizer_of(chosen.kind, add_prefix_space);
  parts.decoder = make_decoder({{"type", "ByteLevel"}}, vocab.string());
  parts.model = std::make_unique<Bpe>(std::move(vocabulary), std::move(table), BpeOptions());
  parts.fused = make_fused_encoder(parts);
  return parts;
}

}  // namespace transformeter
