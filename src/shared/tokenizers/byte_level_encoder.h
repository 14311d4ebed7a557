// Byte-level BPE in one pass: words are cut from the bytes of the text and merged as bytes, without writing them in
// byte-level characters first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tokenizers/bpe.h"
#include "tokenizers/fused_encoder.h"
#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

class ByteLevelEncoder final : public FusedEncoder {
 public:
  struct Parts {
    const CharacterNormalizer* normalizer = nullptr;  // null: none
    const Splitter* splitter = nullptr;
    bool add_prefix_space = false;
    const Bpe* model = nullptr;
  };
  /// What `parts` points to outlives the encoder. Null when the model is not byte-level: it lacks the token of a byte,
  /// or treats characters by their place in a word.
  static std::unique_ptr<const ByteLevelEncoder> make(const Parts& parts);

  void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const override;

 private:
  explicit ByteLevelEncoder(const Parts& parts) : parts_(parts) {}
  void append_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;
  void append_new_word(std::string_view word, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const;

  Parts parts_;
  std::array<std::int32_t, 256> byte_ids_{};
};

}  // namespace transformeter
