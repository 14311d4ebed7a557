// What every tokenizer offers: text in, token ids out, with the special tokens its model expects around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// From `begin` up to, not including, `end`.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A token as a person reads it.
struct Token {
  std::int32_t id = 0;
  std::string text;      // as in the vocabulary; of an added token the text it was found in, as Hugging Face shows it
  bool special = false;  // put there by the arrangement: both spans are then 0 to 0
  TextSpan characters;   // what it stands for in the given text, in code points: Hugging Face's offsets
  TextSpan bytes;        // the same in bytes
};

/// One text, or one pair of texts, as a model reads it. The three vectors have the same length.
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> type_ids;      // 0 for the first text and its special tokens, 1 for the second
  std::vector<std::uint8_t> special_mask;  // 1 where the arrangement put a special token, 0 for the text's own
  std::int64_t truncated_tokens = 0;       // tokens of the text left out to stay within max_length
};

struct EncodeOptions {
  std::optional<std::int64_t> max_length;  // in tokens, special tokens included; nothing: no limit
  bool add_special_tokens = true;
};

/// Ids of the tokens with a meaning of their own; nothing where the vocabulary has none.
struct SpecialTokens {
  std::optional<std::int32_t> pad;
  std::optional<std::int32_t> unk;
  std::optional<std::int32_t> cls;
  std::optional<std::int32_t> sep;
  std::optional<std::int32_t> mask;
};

/// How special tokens stand around the texts: a special token, or the place of the first or second text.
struct ArrangementPart {
  enum class Kind { kSpecial, kFirstText, kSecondText };
  Kind kind = Kind::kSpecial;
  std::int32_t id = 0;  // of a special token
  std::int32_t type_id = 0;
};
struct Arrangement {
  std::vector<ArrangementPart> single;  // holds kFirstText once
  std::vector<ArrangementPart> pair;    // holds each text once
};

/// Immutable: one object may serve several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// An empty text gives the special tokens alone. Throws Error(kBadInput) with the byte offset when `text` is not
  /// UTF-8, and when max_length leaves no room for the special tokens.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// As encode; truncation takes from the longer text first ("longest_first" of Hugging Face).
  Encoding encode_pair(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;

  /// The ids of encode with their texts and places. Several times slower than encode.
  std::vector<Token> tokenize(std::string_view text, const EncodeOptions& options = {}) const;

  /// Every id is in [0, vocabulary_size()).
  virtual std::int64_t vocabulary_size() const = 0;
  virtual SpecialTokens special_tokens() const = 0;
  /// The text of a token; empty for an id without one.
  virtual std::string_view token(std::int32_t id) const = 0;

 protected:
  /// The ids of well-formed `text` without what the arrangement adds.
  virtual std::vector<std::int32_t> do_encode(std::string_view text) const = 0;
  /// The same with texts and bytes.
  virtual std::vector<Token> do_tokenize(std::string_view text) const = 0;
  virtual const Arrangement& do_arrangement() const = 0;
};

}  // namespace transformeter
