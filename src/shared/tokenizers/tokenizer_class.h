// The class that Transformers' AutoTokenizer makes of a folder. Some classes take the words alone from tokenizer.json,
// and build everything else from tokenizer_config.json and their own defaults.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tokenizers/arrangement.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {

struct TokenizerClass {
  /// kFile takes tokenizer.json as it is: TokenizersBackend, and classes that are not known here.
  enum class Kind {
    kFile,
    kBert,
    kRoberta,
    kGpt2,
    kQwen2,
    kAlbert,
    kCamembert,
    kXlmRoberta,
    kLlama,
    kGemma,
    kMpnet,
    kClip,
    kT5,
    kSiglip
  };
  Kind kind = Kind::kFile;
  std::string name;             // for errors
  bool has_token_types = true;  // the model gets those of the arrangement; else 0 for every token
};

/// By tokenizer_class, else by config.json's model_type. `has_byte_level`: a component of tokenizer.json is ByteLevel.
TokenizerClass tokenizer_class_of(const TokenizerConfig& config, bool has_byte_level);

/// Throws Error(kBadInput) that begins with `where` for a class that Transformers builds in a way not followed here.
void check_tokenizer_class(const TokenizerClass& chosen, const std::string& where);

/// `config` with the special tokens of the class where it names none and `is_known` finds them.
TokenizerConfig with_class_tokens(TokenizerConfig config, TokenizerClass::Kind kind,
                                  const std::function<bool(const std::string&)>& is_known);

/// Replaces the normalizer, pre-tokenizer, decoder, and options of the model in `file`, a tokenizer.json, by those of
/// the class. Throws Error(kBadInput) that begins with `where` when the class needs another model.
void apply_tokenizer_class(const TokenizerClass& chosen, const TokenizerConfig& config, const std::string& where,
                           Json& file);

/// The special tokens that the class puts around texts whatever tokenizer.json says, or where that says nothing
/// (`is_file_silent`); nothing: those of the file. `named` is with_class_tokens'. Throws Error(kBadInput) when the
/// class needs one that is missing.
std::optional<Arrangement> class_arrangement(const TokenizerClass& chosen, const TokenizerConfig& named,
                                             const SpecialTokens& special, const std::string& where,
                                             bool is_file_silent = true);

/// How the class trims offsets where it surrounds texts itself.
std::optional<OffsetTrim> class_offset_trim(TokenizerClass::Kind kind, const TokenizerConfig& config);

}  // namespace transformeter
