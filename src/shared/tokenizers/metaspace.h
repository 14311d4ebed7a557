// sentencepiece's way of cutting, as Hugging Face's Metaspace does it: blanks become a mark, and each mark begins a
// piece.
#pragma once

#include <string>

#include "tokenizers/component_json.h"
#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

struct MetaspaceOptions {
  enum class Prepend {
    kAlways,  // a mark in front of each text that does not begin with one
    kFirst,   // only where nothing of the given text stands before it
    kNever
  };
  std::string mark = "\xE2\x96\x81";  // one character: U+2581
  Prepend prepend = Prepend::kAlways;
  bool split = true;  // false: the text stays one piece
};

/// As a pre-tokenizer or decoder of tokenizer.json has them. Throws Error(kBadInput).
MetaspaceOptions metaspace_options(const ComponentJson& json);

class Metaspace final : public PreTokenizer {
 public:
  explicit Metaspace(MetaspaceOptions options) : options_(std::move(options)) {}

  std::vector<AlignedText> pre_tokenize(AlignedText text) const override;
  const MetaspaceOptions& options() const { return options_; }

 private:
  AlignedText with_marks(const AlignedText& text) const;

  MetaspaceOptions options_;
};

}  // namespace transformeter
