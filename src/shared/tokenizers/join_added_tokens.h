// The added tokens of a folder, from all files that name some.
#pragma once

#include <vector>

#include "tokenizers/added_tokens.h"
#include "tokenizers/tokenizer_class.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {

/// The added tokens of a folder, by id, as Transformers adds them to the model's words and to `kept`, those that the
/// tokenizer has already: listed ones, then those that `named` names. `listed` have ids of their own, which decide the
/// order alone.
std::vector<AddedToken> join_added_tokens(const TokenizerConfig& named, TokenizerClass::Kind kind,
                                          const std::vector<AddedToken>& listed, std::vector<AddedToken> kept,
                                          const Vocabulary& words);

}  // namespace transformeter
