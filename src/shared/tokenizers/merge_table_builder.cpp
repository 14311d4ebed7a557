// Three look-ups a merge.
#include "tokenizers/merge_table_builder.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

MergeTableBuilder::MergeTableBuilder(const Vocabulary& vocabulary, std::string prefix, std::size_t expected_size)
    : vocabulary_(vocabulary), prefix_(std::move(prefix)), table_(expected_size) {}

std::int32_t MergeTableBuilder::id_of(std::string_view token, const std::function<std::string()>& where) const {
  const std::int32_t id = vocabulary_.table().find(token);
  if (id >= 0) return id;
  throw Error(ErrorKind::kBadInput,
              fmt::format("{}: '{}' is not in the vocabulary; the merges must belong to the same model", where(),
                          excerpt(token)));
}

std::int32_t MergeTableBuilder::add(std::string_view left, std::string_view right,
                                    const std::function<std::string()>& where) {
  const std::int32_t left_id = id_of(left, where);
  const std::int32_t right_id = id_of(right, where);
  if (right.size() < prefix_.size()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: '{}' is shorter than the prefix '{}'", where(), excerpt(right), prefix_));
  }
  joined_.assign(left).append(right.substr(prefix_.size()));
  const std::int32_t merged_id = id_of(joined_, where);
  if (!table_.insert(left_id, right_id, {rank_, merged_id})) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{}: '{}' and '{}' are merged twice", where(), excerpt(left), excerpt(right)));
  }
  ++rank_;
  return merged_id;
}

}  // namespace transformeter
