// Both ways of a normalizer that says what becomes of each character.
#include "tokenizers/normalizer.h"

#include <utility>

#include "tokenizers/utf8.h"

namespace transformeter {

std::string CharacterNormalizer::normalize(std::string_view text) const {
  if (do_leaves(text)) return std::string(text);
  std::string made;
  made.reserve(text.size());
  for (const CharacterChange& change : do_changes(text).characters) append_utf8(change.character, made);
  return made;
}

AlignedText CharacterNormalizer::normalize_aligned(AlignedText text) const {
  if (do_leaves(text.text)) return text;
  const Changes changes = do_changes(text.text);
  return transform(text, changes.characters, changes.left_out);
}

}  // namespace transformeter
