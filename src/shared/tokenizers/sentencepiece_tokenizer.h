// A tokenizer from a sentencepiece .model file, encoded and decoded by the library sentencepiece itself.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/added_tokens.h"
#include "tokenizers/sentencepiece_file.h"
#include "tokenizers/tokenizer.h"
#include "tokenizers/tokenizer_config.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace transformeter {

/// Ids are sentencepiece's. The added tokens of tokenizer_config.json are found first, and each stretch between them is
/// encoded by itself, as Hugging Face's slow tokenizers do it.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// `config` may name the class, which says what stands around a text: LlamaTokenizer and GemmaTokenizer <s> (and </s>
  /// with add_eos_token), T5Tokenizer </s> and extra_ids (100) tokens <extra_id_0>, … behind the model's own,
  /// AlbertTokenizer [CLS] and [SEP]; none: nothing but what add_bos_token and add_eos_token ask for.
  /// Throws Error(kBadInput) naming the file: for what read_sentencepiece_file or the library refuses, for a class that
  /// changes ids, and for a special token the model lacks.
  SentencePieceTokenizer(const std::filesystem::path& path, const TokenizerConfig& config);
  ~SentencePieceTokenizer() override;

  const TokenizerTraits& traits() const override { return traits_; }
  std::string_view token(std::int32_t id) const override;

 protected:
  void do_encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::vector<Token> do_tokenize(std::string_view text) const override;
  std::string do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const override;

 private:
  void add_extra_ids(std::int64_t count);
  void set_specials(const TokenizerConfig& config, const std::string& where);
  bool is_special(std::int32_t id) const;

  SentencePieceFile file_;
  std::vector<AddedToken> added_;
  std::vector<const AddedToken*> added_by_id_;
  AddedTokenFinder finder_;
  TokenizerTraits traits_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace transformeter
