// Cutting an aligned text where a splitter says.
#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

std::vector<AlignedText> Splitter::pre_tokenize(AlignedText text) const {
  std::vector<TextSpan> spans;
  do_split(text.text, spans);
  std::vector<AlignedText> pieces;
  pieces.reserve(spans.size());
  for (const TextSpan span : spans) pieces.push_back(slice(text, span));
  return pieces;
}

}  // namespace transformeter
