// Several normalizers, one after the other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tokenizers/normalizer.h"

namespace transformeter {

class SequenceNormalizer final : public Normalizer {
 public:
  explicit SequenceNormalizer(std::vector<std::unique_ptr<const Normalizer>> steps) : steps_(std::move(steps)) {}

  std::string normalize(std::string_view text) const override;
  AlignedText normalize_aligned(AlignedText text) const override;

 private:
  std::vector<std::unique_ptr<const Normalizer>> steps_;
};

}  // namespace transformeter
