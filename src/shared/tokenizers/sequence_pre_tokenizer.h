// Several pre-tokenizers: each cuts the pieces of the one before.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

class SequencePreTokenizer final : public PreTokenizer {
 public:
  explicit SequencePreTokenizer(std::vector<std::unique_ptr<const PreTokenizer>> steps) : steps_(std::move(steps)) {}

  std::vector<AlignedText> pre_tokenize(AlignedText text) const override;
  const std::vector<std::unique_ptr<const PreTokenizer>>& steps() const { return steps_; }

 private:
  std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

}  // namespace transformeter
