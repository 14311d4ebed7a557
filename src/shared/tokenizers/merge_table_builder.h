// Merges by the texts of their tokens, as files list them, into a table by ids.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tokenizers/merge_table.h"
#include "tokenizers/vocabulary.h"

namespace transformeter {

class MergeTableBuilder {
 public:
  /// `vocabulary` outlives this object; `prefix` is the model's continuing_subword_prefix.
  MergeTableBuilder(const Vocabulary& vocabulary, std::string prefix, std::size_t expected_size);

  /// Adds the merge of next rank and returns the id of what it makes. Throws Error(kBadInput) that begins with what
  /// `where` gives, for a token that is not in the vocabulary and for a pair that was added before.
  std::int32_t add(std::string_view left, std::string_view right, const std::function<std::string()>& where);
  std::size_t size() const { return rank_; }
  MergeTable take() { return std::move(table_); }

 private:
  std::int32_t id_of(std::string_view token, const std::function<std::string()>& where) const;

  const Vocabulary& vocabulary_;
  std::string prefix_;
  MergeTable table_;
  std::uint32_t rank_ = 0;
  std::string joined_;
};

}  // namespace transformeter
