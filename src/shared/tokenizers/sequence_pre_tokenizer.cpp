// The pieces stay in the order of the text.
#include "tokenizers/sequence_pre_tokenizer.h"

#include <iterator>

namespace transformeter {

std::vector<AlignedText> SequencePreTokenizer::pre_tokenize(AlignedText text) const {
  std::vector<AlignedText> pieces;
  if (!text.text.empty()) pieces.push_back(std::move(text));
  for (const auto& step : steps_) {
    std::vector<AlignedText> cut;
    for (AlignedText& piece : pieces) {
      std::vector<AlignedText> parts = step->pre_tokenize(std::move(piece));
      cut.insert(cut.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    }
    pieces = std::move(cut);
  }
  return pieces;
}

}  // namespace transformeter
