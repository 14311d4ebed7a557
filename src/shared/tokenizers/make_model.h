// The model of a tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "tokenizers/token_model.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

/// The model that `file.rest["model"]`, with the vocabulary and merges of `file`, describes; takes what it needs out of
/// `file`. Errors as make_normalizer.
std::unique_ptr<const TokenModel> make_model(TokenizerJson& file, const std::string& where);

/// The words of `file`, which then has none. Throws Error(kBadInput) that begins with `where` for a word or an id that
/// stands there twice.
StoredVocabulary take_vocabulary(TokenizerJson& file, const std::string& where);

}  // namespace transformeter
