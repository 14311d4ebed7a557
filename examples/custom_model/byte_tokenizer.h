// A tokenizer without a vocabulary file: each byte of a text is a token (as ByT5, Xue et al. 2021, arXiv:2105.13626).
#pragma once

#include <transformeter/worker.h>

namespace example {

/// Ids: 0 padding, 1 begin, 2 end, 3 + byte.
class ByteTokenizer final : public transformeter::Tokenizer {
 public:
  ByteTokenizer();
  const transformeter::TokenizerTraits& traits() const override { return traits_; }
  std::string_view token(std::int32_t id) const override;

 protected:
  void do_encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::vector<transformeter::Token> do_tokenize(std::string_view text) const override;
  std::string do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const override;

 private:
  transformeter::TokenizerTraits traits_;
  std::string bytes_;  // all 256 in order
};

}  // namespace example
