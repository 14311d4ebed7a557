// The library is asked for ids and byte spans only; special tokens and their arrangement are ours.
#include "tokenizers/sentencepiece_tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "tokenizers/tokenizer_class.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {
namespace {

using PieceType = SentencePieceFile::PieceType;

constexpr std::int64_t kExtraIds = 100;  // T5's sentinels

// That the files name, else that of the model's family.
std::string class_name(const TokenizerConfig& config) {
  return config.tokenizer_class.empty() ? tokenizer_class_of(config, false).name : config.tokenizer_class;
}

void check(const sentencepiece::util::Status& status, const std::string& where) {
  if (!status.ok())
    throw Error(ErrorKind::kBadInput, fmt::format("{}: sentencepiece says: {}", where, status.ToString()));
}

Vocabulary vocabulary_of(const SentencePieceFile& file) {
  Vocabulary words(file.pieces.size());
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    words.insert(file.pieces[id].text, static_cast<std::int32_t>(id));
  }
  return words;
}

std::int32_t required(std::optional<std::int32_t> id, std::string_view name, const std::string& where) {
  if (id) return *id;
  throw Error(ErrorKind::kBadInput, fmt::format("{}: the model does not have the requested {} token", where, name));
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(const std::filesystem::path& path, const TokenizerConfig& config)
    : added_(config.added_tokens), finder_({}), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const std::string where = path.string();
  const MappedFile mapped(path);
  file_ = read_sentencepiece_file(mapped.bytes(), where);
  check(processor_->LoadFromSerializedProto(mapped.bytes()), where);
  if (class_name(config) == "T5Tokenizer" && added_.empty()) add_extra_ids(config.extra_ids.value_or(kExtraIds));
  check_added_tokens(added_, vocabulary_of(file_), where + " with added_tokens_decoder of tokenizer_config.json");
  finder_ = AddedTokenFinder(added_);
  traits_.vocabulary_size = static_cast<std::int64_t>(file_.pieces.size());
  for (const AddedToken& token : added_) {
    traits_.vocabulary_size = std::max<std::int64_t>(traits_.vocabulary_size, token.id + std::int64_t{1});
  }
  added_by_id_.resize(static_cast<std::size_t>(traits_.vocabulary_size));
  for (const AddedToken& token : added_) added_by_id_[static_cast<std::size_t>(token.id)] = &token;
  traits_.truncation_side = config.truncation_side.value_or(Side::kRight);
  traits_.max_length = config.model_max_length;
  set_specials(config, where);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::add_extra_ids(std::int64_t count) {
  const std::int64_t last = static_cast<std::int64_t>(file_.pieces.size()) + count - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    added_.push_back(
        {.content = fmt::format("<extra_id_{}>", i), .id = static_cast<std::int32_t>(last - i), .special = true});
  }
}

void SentencePieceTokenizer::set_specials(const TokenizerConfig& config, const std::string& where) {
  const Vocabulary words = vocabulary_of(file_);
  traits_.special =
      find_special_tokens(config, where, [&](const std::string& token) { return find_token(token, added_, words); });
  const auto by_file = [&](std::optional<std::int32_t>& id, std::int32_t own) {
    if (own >= 0 && static_cast<std::size_t>(own) < file_.pieces.size()) id = own;
  };
  SpecialTokens& special = traits_.special;
  by_file(special.unk, file_.unk_id);
  by_file(special.bos, file_.bos_id);
  by_file(special.eos, file_.eos_id);
  if (!special.pad) by_file(special.pad, file_.pad_id);
  const std::string name = class_name(config);
  if (name == "AlbertTokenizer") {
    traits_.arrangement =
        bert_arrangement(required(special.cls, "[CLS]", where), required(special.sep, "[SEP]", where));
    return;
  }
  const bool llama = name == "LlamaTokenizer" || name == "GemmaTokenizer";
  if (!llama && name != "T5Tokenizer" && !name.empty()) {
    throw bad_value("tokenizer_class", name, "AlbertTokenizer, GemmaTokenizer, LlamaTokenizer, T5Tokenizer, or none",
                    fmt::format("It may renumber the ids of {}; use the model's tokenizer.json instead", where));
  }
  std::optional<std::int32_t> begin;
  std::optional<std::int32_t> end;
  if (config.add_bos_token.value_or(llama)) begin = required(special.bos, "bos", where);
  if (config.add_eos_token.value_or(name == "T5Tokenizer")) end = required(special.eos, "eos", where);
  traits_.arrangement = framed_arrangement(begin, end);
  if (end && !begin) traits_.arrangement = without_types(std::move(traits_.arrangement));  // T5 has no types
}

std::string_view SentencePieceTokenizer::token(std::int32_t id) const {
  if (id < 0 || id >= traits_.vocabulary_size) return {};
  if (const AddedToken* added = added_by_id_[static_cast<std::size_t>(id)]) return added->content;
  return static_cast<std::size_t>(id) < file_.pieces.size()
             ? std::string_view(file_.pieces[static_cast<std::size_t>(id)].text)
             : std::string_view();
}

void SentencePieceTokenizer::do_encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::vector<int> own;
  for (const TextPart& part : finder_.cut(text)) {
    if (part.id >= 0) {
      ids.push_back(part.id);
      continue;
    }
    check(processor_->Encode(part.text, &own), "text");
    ids.insert(ids.end(), own.begin(), own.end());
  }
}

std::vector<Token> SentencePieceTokenizer::do_tokenize(std::string_view text) const {
  std::vector<Token> tokens;
  for (const TextPart& part : finder_.cut(text)) {
    const auto base = static_cast<std::size_t>(part.text.data() - text.data());
    if (part.id >= 0) {
      tokens.push_back({part.id, std::string(part.text), false, {}, {base, base + part.text.size()}});
      continue;
    }
    const sentencepiece::ImmutableSentencePieceText encoded = processor_->EncodeAsImmutableProto(part.text);
    for (const auto& piece : encoded.pieces()) {
      const auto id = static_cast<std::int32_t>(piece.id());
      tokens.push_back({id, std::string(token(id)), false, {}, {base + piece.begin(), base + piece.end()}});
    }
  }
  return tokens;
}

bool SentencePieceTokenizer::is_special(std::int32_t id) const {
  if (const AddedToken* added = added_by_id_[static_cast<std::size_t>(id)]) return added->special;
  return static_cast<std::size_t>(id) < file_.pieces.size() &&
         file_.pieces[static_cast<std::size_t>(id)].type == PieceType::kControl;
}

std::string SentencePieceTokenizer::do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  std::string decoded;
  std::vector<int> run;  // ids of the model's own
  const auto end_run = [&] {
    std::string text;
    if (!run.empty()) check(processor_->Decode(run, &text), "ids");
    decoded += text;
    run.clear();
  };
  for (const std::int32_t id : ids) {
    if (skip_special_tokens && is_special(id)) continue;
    const AddedToken* added = added_by_id_[static_cast<std::size_t>(id)];
    if (added == nullptr) {
      if (static_cast<std::size_t>(id) < file_.pieces.size()) run.push_back(id);
      continue;
    }
    end_run();
    decoded += added->content;
  }
  end_run();
  return decoded;
}

}  // namespace transformeter
