// Texts of random tokens with lengths to order: for shapes that no data set has.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizers/tokenizer.h"

namespace transformeter {

/// How many examples there are where no limit says so.
inline constexpr std::int64_t kSyntheticExamples = 256;

/// [CLS], random ids, [SEP] for each length (at least 3). Ids are drawn evenly from the vocabulary without the special
/// tokens. The i-th encoding depends on the seed, i and its length alone. Throws Error(kUnsupported) for a tokenizer
/// without [CLS] or [SEP], Error(kBadInput) for a vocabulary of special tokens only.
std::vector<Encoding> synthetic_encodings(const std::vector<std::int64_t>& lengths, const Tokenizer& tokenizer,
                                          std::uint64_t seed);

}  // namespace transformeter
