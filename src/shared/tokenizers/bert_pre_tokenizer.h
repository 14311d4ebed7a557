// BERT's pre-tokenizer: words at white space, which is dropped, and each punctuation mark a word of its own.
#pragma once

#include <string_view>
#include <vector>

#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

/// Appends the words of well-formed `text`.
void split_bert_words(std::string_view text, std::vector<TextSpan>& words);

class BertPreTokenizer final : public Splitter {
 protected:
  void do_split(std::string_view text, std::vector<TextSpan>& pieces) const override;
};

}  // namespace transformeter
