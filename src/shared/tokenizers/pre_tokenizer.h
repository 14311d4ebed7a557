// The second step of a tokenizer: cutting the normalised text into the pieces that the model tokenizes one by one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tokenizers/aligned_text.h"

namespace transformeter {

/// Immutable: one object may serve several threads.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  /// The pieces of `text`, in order and none of them empty; a pre-tokenizer may also rewrite them. Places are kept when
  /// those of `text` are traced.
  virtual std::vector<AlignedText> pre_tokenize(AlignedText text) const = 0;
};

/// A pre-tokenizer that only cuts.
class Splitter : public PreTokenizer {
 public:
  std::vector<AlignedText> pre_tokenize(AlignedText text) const final;
  /// Appends the pieces of `text`, in order, not empty and apart; what lies between them is dropped.
  void split(std::string_view text, std::vector<TextSpan>& pieces) const { do_split(text, pieces); }

 protected:
  virtual void do_split(std::string_view text, std::vector<TextSpan>& pieces) const = 0;
};

/// The pre-tokenizer that `json`, of a tokenizer.json, describes. Errors as make_normalizer.
std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const Json& json, const std::string& where);

}  // namespace transformeter
