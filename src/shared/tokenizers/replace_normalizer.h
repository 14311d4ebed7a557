// Normalizers that put text in: Replace and Prepend.
#pragma once

#include <string>
#include <utility>

#include "tokenizers/normalizer.h"
#include "tokenizers/regex.h"

namespace transformeter {

/// Every match of a pattern by the same text, with the place of the match's last character.
class ReplaceNormalizer final : public Normalizer {
 public:
  ReplaceNormalizer(Regex pattern, std::string content) : pattern_(std::move(pattern)), content_(std::move(content)) {}

  std::string normalize(std::string_view text) const override;
  AlignedText normalize_aligned(AlignedText text) const override;

 private:
  Regex pattern_;
  std::string content_;
};

/// A text in front, unless there is nothing to stand in front of.
class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string content) : content_(std::move(content)) {}

  std::string normalize(std::string_view text) const override;
  AlignedText normalize_aligned(AlignedText text) const override;

 private:
  std::string content_;
};

}  // namespace transformeter
