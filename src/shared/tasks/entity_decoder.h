// From a label for each token to entities, as the token classification pipeline of Hugging Face Transformers with
// aggregation_strategy="first" finds them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/prediction.h"
#include "tokenizers/text_span.h"

namespace transformeter {

struct LabelledToken {
  TextSpan characters;  // in the text
  TextSpan bytes;       // the same in bytes
  std::string label;    // "B-person", "O"
  double score = 0;
  bool continues_word = false;  // it is no word's first token
};

/// A word has the label and score of its first token. Neighbouring words of one type are one entity, until a label with
/// B-, S- or U- begins the next or one with E-, L-, S- or U- has ended it (the pipeline itself knows B- and I- only); a
/// label without such a prefix goes on. "O" is no entity. An entity's score is the mean of its words'.
std::vector<PredictedEntity> group_entities(std::span<const LabelledToken> tokens, std::string_view text);

/// The label of each word's first token, "O" for a word without a token. Both ascend.
std::vector<std::string> tags_of_words(std::span<const LabelledToken> tokens, std::span<const CharacterRange> words);

}  // namespace transformeter
