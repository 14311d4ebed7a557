// Unicode normal forms, and the normalizers that change or drop single characters.
#pragma once

#include <string_view>

#include "tokenizers/normalizer.h"

namespace transformeter {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

/// With the tables of the crate that Hugging Face normalises with (Unicode 13 or so).
class UnicodeNormalizer final : public CharacterNormalizer {
 public:
  explicit UnicodeNormalizer(NormalForm form) : form_(form) {}

 protected:
  bool do_leaves(std::string_view text) const override;
  Changes do_changes(std::string_view text) const override;

 private:
  NormalForm form_;
};

/// Rust's char::to_lowercase of each character.
class LowercaseNormalizer final : public CharacterNormalizer {
 protected:
  Changes do_changes(std::string_view text) const override;
};

/// Drops combining marks; what is composed stays.
class StripAccentsNormalizer final : public CharacterNormalizer {
 protected:
  bool do_leaves(std::string_view text) const override;
  Changes do_changes(std::string_view text) const override;
};

/// Drops white space at the ends.
class StripNormalizer final : public CharacterNormalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

 protected:
  bool do_leaves(std::string_view text) const override { return text.empty(); }
  Changes do_changes(std::string_view text) const override;

 private:
  bool left_;
  bool right_;
};

}  // namespace transformeter
