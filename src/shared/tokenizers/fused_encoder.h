// Normaliser, pre-tokenizer and model in one pass, for combinations common enough to be worth it. Ids are those of the
// separate components, without places.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenizers/encode_scratch.h"

namespace transformeter {

/// Immutable: one object may serve several threads, each with a scratch of its own.
class FusedEncoder {
 public:
  virtual ~FusedEncoder() = default;

  /// `text`, well-formed UTF-8, as the normaliser makes it: itself, or in scratch.text, which `encode` leaves alone.
  virtual std::string_view normalized(std::string_view text, EncodeScratch& scratch) const = 0;
  /// Appends the ids of normalised text without added tokens.
  virtual void encode(std::string_view text, EncodeScratch& scratch, std::vector<std::int32_t>& ids) const = 0;
};

}  // namespace transformeter
