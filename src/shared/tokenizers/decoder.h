// The last step of a tokenizer, in the other direction: from tokens to text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// Immutable: one object may serve several threads.
class Decoder {
 public:
  virtual ~Decoder() = default;

  /// The texts whose concatenation is the decoded text, as Hugging Face's decode_chain.
  virtual std::vector<std::string> decode_chain(std::vector<std::string> tokens) const = 0;
};

/// The decoder that `json`, of a tokenizer.json, describes. Errors as make_normalizer.
std::unique_ptr<const Decoder> make_decoder(const Json& json, const std::string& where);

}  // namespace transformeter
