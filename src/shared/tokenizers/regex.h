// Regular expressions over UTF-8, as tokenizer.json has them: PCRE2 with the options that make it read the Oniguruma
// syntax of Hugging Face's patterns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/text_span.h"

namespace transformeter {

/// Immutable: one object may serve several threads.
class Regex {
 public:
  /// Throws Error(kBadInput) that begins with `where` for a pattern that is not understood.
  Regex(const std::string& pattern, const std::string& where);
  /// One that matches `text` literally.
  static Regex literal(std::string_view text, const std::string& where);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// The matches in well-formed `text`, from left to right and apart; of an empty match begin and end are the same.
  /// Throws Error(kBadInput) when the pattern needs too much time or memory on this text.
  std::vector<TextSpan> find_all(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace transformeter
