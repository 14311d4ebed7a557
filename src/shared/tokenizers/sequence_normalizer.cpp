// Each step reads what the one before made.
#include "tokenizers/sequence_normalizer.h"

namespace transformeter {

std::string SequenceNormalizer::normalize(std::string_view text) const {
  std::string made(text);
  for (const auto& step : steps_) made = step->normalize(made);
  return made;
}

AlignedText SequenceNormalizer::normalize_aligned(AlignedText text) const {
  for (const auto& step : steps_) text = step->normalize_aligned(std::move(text));
  return text;
}

}  // namespace transformeter
