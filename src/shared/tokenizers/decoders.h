// The decoders of Hugging Face `tokenizers`: from tokens to text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizers/decoder.h"
#include "tokenizers/normalizer.h"

namespace transformeter {

/// Joins WordPiece tokens: a blank before each but the first, unless it begins with the prefix, which is dropped.
class WordPieceDecoder final : public Decoder {
 public:
  /// `cleanup`: see clean_up_tokenization.
  WordPieceDecoder(std::string prefix, bool cleanup) : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::string prefix_;
  bool cleanup_;
};

/// GPT-2's characters back to the bytes they stand for; bytes that are no UTF-8 become U+FFFD. A token with any other
/// character stands for itself.
class ByteLevelDecoder final : public Decoder {
 public:
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;
};

/// The mark of a word's beginning back to a blank; at the start of the text it is dropped, if tokenizing put one there.
class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(std::string mark, bool prepended) : mark_(std::move(mark)), prepended_(prepended) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::string mark_;  // one character
  bool prepended_;
};

/// Runs of byte tokens ("<0xE5>") back to text; a run that is no UTF-8 becomes a U+FFFD for each byte.
class ByteFallbackDecoder final : public Decoder {
 public:
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;
};

/// All tokens as one, so that the decoders after it see the whole text.
class FuseDecoder final : public Decoder {
 public:
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;
};

/// Drops up to `start` times the character at the start of each token, and up to `stop` times at its end.
class StripDecoder final : public Decoder {
 public:
  StripDecoder(std::string character, std::size_t start, std::size_t stop)
      : character_(std::move(character)), start_(start), stop_(stop) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::string character_;
  std::size_t start_;
  std::size_t stop_;
};

/// A normalizer on each token: Replace.
class ReplaceDecoder final : public Decoder {
 public:
  explicit ReplaceDecoder(std::unique_ptr<const Normalizer> replace) : replace_(std::move(replace)) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::unique_ptr<const Normalizer> replace_;
};

/// The mark of a word's end to a blank, and to nothing in the last token.
class BpeDecoder final : public Decoder {
 public:
  /// `suffix` is not empty.
  explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::string suffix_;
};

/// Of speech models: repeated tokens count once, the padding token separates repetitions that are meant.
class CtcDecoder final : public Decoder {
 public:
  struct Options {
    std::string pad_token = "<pad>";
    std::string word_delimiter_token = "|";  // becomes a blank, where `cleanup` is set
    bool cleanup = true;
  };
  explicit CtcDecoder(Options options) : options_(std::move(options)) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  Options options_;
};

/// One after the other.
class SequenceDecoder final : public Decoder {
 public:
  explicit SequenceDecoder(std::vector<std::unique_ptr<const Decoder>> steps) : steps_(std::move(steps)) {}
  std::vector<std::string> decode_chain(std::vector<std::string> tokens) const override;

 private:
  std::vector<std::unique_ptr<const Decoder>> steps_;
};

/// `text` with every `from`, left to right, replaced; as it is when `from` is empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// Hugging Face's clean-up of blanks before punctuation and English contractions.
std::string clean_up_tokenization(std::string_view text);

}  // namespace transformeter
