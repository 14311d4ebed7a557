// Pre-tokenizers that cut at the matches of a regular expression or at kinds of characters.
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizers/pre_tokenizer.h"
#include "tokenizers/regex.h"

namespace transformeter {

/// What becomes of the matches, between which the pieces lie.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

class RegexSplitter final : public Splitter {
 public:
  /// With `invert`, the matches are the pieces, and what lies between them is what `behavior` is about.
  RegexSplitter(Regex pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;

 private:
  Regex pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

class CharacterSplitter : public Splitter {
 public:
  CharacterSplitter(std::function<bool(char32_t)> matches, SplitBehavior behavior)
      : matches_(std::move(matches)), behavior_(behavior) {}

 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;

 private:
  std::function<bool(char32_t)> matches_;
  SplitBehavior behavior_;
};

/// Hugging Face's WhitespaceSplit: what white space lies between.
class WhitespaceRemover final : public CharacterSplitter {
 public:
  WhitespaceRemover();
};

/// Pieces of `length` ≥ 1 characters each, the last one shorter.
class FixedLengthSplitter final : public Splitter {
 public:
  explicit FixedLengthSplitter(std::size_t length) : length_(length) {}

 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;

 private:
  std::size_t length_;
};

/// Hugging Face's Whitespace: the matches of \w+|[^\w\s]+.
class WhitespaceSplitter final : public Splitter {
 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;
};

}  // namespace transformeter
