// What every tokenizer offers: text in, token ids out, with the special tokens its model expects around them; and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/arrangement.h"
#include "tokenizers/text_span.h"

namespace transformeter {

/// A token as a person reads it.
struct Token {
  std::int32_t id = 0;
  std::string text;      // as in the vocabulary; of an added token the text it was found in, as Hugging Face shows it
  bool special = false;  // put there by the arrangement: both spans are then 0 to 0
  TextSpan characters;   // what it stands for in the given text, in code points: Hugging Face's offsets
  TextSpan bytes;        // the same in bytes
  std::int32_t type_id = 0;
  bool in_second = false;  // of a pair, the text that the places are in; false for special tokens
};

/// One text, or one pair of texts, as a model reads it. The three vectors have the same length.
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> type_ids;      // as the arrangement says: of BERT 0 for the first text, 1 for the second
  std::vector<std::uint8_t> special_mask;  // 1 where the arrangement put a special token, 0 for the text's own
  std::int64_t truncated_tokens = 0;       // tokens of the text left out to stay within max_length
};

enum class Side { kLeft, kRight };

struct EncodeOptions {
  std::optional<std::int64_t> max_length;  // in tokens, special tokens included; nothing: no limit
  bool add_special_tokens = true;
  std::optional<Side> truncation_side;  // where tokens are dropped; nothing: as the tokenizer's files say
};

struct WindowOptions {
  std::int64_t max_length = 384;  // of each window, in tokens, special tokens included
  std::int64_t stride = 128;      // tokens of the second text that two neighbouring windows share
};

/// One of the windows over the second text of a pair that is too long for a model; the first text stands whole in each.
struct PairWindow {
  Encoding encoding;
  std::vector<TextSpan> characters;  // of each token in its own text; 0 to 0 for special tokens
  std::vector<TextSpan> bytes;       // the same in bytes
  TextSpan second;                   // positions of the second text's tokens in the encoding
};

/// Ids of the tokens with a meaning of their own; nothing where the vocabulary has none.
struct SpecialTokens {
  std::optional<std::int32_t> pad;
  std::optional<std::int32_t> unk;
  std::optional<std::int32_t> cls;
  std::optional<std::int32_t> sep;
  std::optional<std::int32_t> mask;
  std::optional<std::int32_t> bos;
  std::optional<std::int32_t> eos;
};

/// White space at the ends of tokens is left out of their places, as the offsets of GPT-2 and RoBERTa want it.
struct OffsetTrim {
  bool add_prefix_space = true;  // a single leading blank of the first token may be the tokenizer's own: it stays
};

/// What is known of a tokenizer beside its way of encoding.
struct TokenizerTraits {
  std::int64_t vocabulary_size = 0;  // every id lies below
  SpecialTokens special;
  Arrangement arrangement;
  std::optional<OffsetTrim> offset_trim;
  std::string continuing_subword_prefix;  // of tokens inside a word, as "##"; empty: they are not marked
  Side truncation_side = Side::kRight;
  std::optional<std::int64_t> max_length;  // where texts are cut unless asked otherwise: model_max_length
  bool has_token_types = true;             // the original hands them to the model; else all are 0
  bool masks_padding = true;               // the original hands the model a mask that hides padding
  // A text by itself is filled with special.pad, as with special tokens behind its own: to so many tokens, or to
  // max_length where that is less.
  std::optional<std::int64_t> filled_length;
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
  /// encode of each text, on `threads` ≥ 1 threads. Errors name the first text that has one, counted from 0;
  /// other exceptions, as std::bad_alloc, come out as they are.
  std::vector<Encoding> encode_batch(std::span<const std::string> texts, const EncodeOptions& options = {},
                                     int threads = 1) const;

  /// The ids of encode with their texts and places. Several times slower than encode.
  std::vector<Token> tokenize(std::string_view text, const EncodeOptions& options = {}) const;
  /// The same of encode_pair; places are in each token's own text.
  std::vector<Token> tokenize_pair(std::string_view first, std::string_view second,
                                   const EncodeOptions& options = {}) const;
  /// The tokens of each of encode_pair_windows.
  std::vector<std::vector<Token>> tokenize_pair_windows(std::string_view first, std::string_view second,
                                                        const WindowOptions& options) const;
  /// A pair as question and passage: windows over the second text that overlap by `stride` tokens, at least one. Throws
  /// Error(kBadInput) when the first text and the special tokens leave no more than `stride` tokens to the second.
  std::vector<PairWindow> encode_pair_windows(std::string_view first, std::string_view second,
                                              const WindowOptions& options) const;

  /// The text of `ids`. Throws Error(kBadInput) for an id outside [0, vocabulary_size()).
  std::string decode(std::span<const std::int32_t> ids, bool skip_special_tokens = true) const;

  std::int64_t vocabulary_size() const { return traits().vocabulary_size; }
  SpecialTokens special_tokens() const { return traits().special; }
  virtual const TokenizerTraits& traits() const = 0;
  /// The text of a token; empty for an id without one.
  virtual std::string_view token(std::int32_t id) const = 0;

 protected:
  /// Appends the ids of well-formed `text` without what the arrangement adds.
  virtual void do_encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  /// The same ids with texts and bytes; `characters` is filled in by the caller.
  virtual std::vector<Token> do_tokenize(std::string_view text) const = 0;
  virtual std::string do_decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const = 0;
};

}  // namespace transformeter
