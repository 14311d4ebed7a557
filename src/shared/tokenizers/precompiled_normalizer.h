// The normalizers of sentencepiece models: its precompiled character maps, and the rules of its "nmt" family alone.
#pragma once

#include <array>
#include <utility>

#include "tokenizers/charsmap.h"
#include "tokenizers/normalizer.h"

namespace transformeter {

/// Hugging Face's Precompiled: a grapheme of less than 6 bytes is rewritten as a whole when an entry of the map begins
/// it, else character by character.
class PrecompiledNormalizer final : public CharacterNormalizer {
 public:
  explicit PrecompiledNormalizer(Charsmap map);

 protected:
  bool do_leaves(std::string_view text) const override;
  Changes do_changes(std::string_view text) const override;

 private:
  Charsmap map_;
  std::array<bool, 256> unchanged_{};  // printable ASCII the map leaves alone
};

/// Hugging Face's Nmt: control characters are dropped, unusual blanks become plain ones.
class NmtNormalizer final : public CharacterNormalizer {
 protected:
  bool do_leaves(std::string_view text) const override;
  Changes do_changes(std::string_view text) const override;
};

}  // namespace transformeter
