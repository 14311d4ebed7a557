// Copies, and counts of what was copied.
#include "datasets/pad_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"

namespace transformeter {

void count_tokens(Batch& batch) {
  batch.processed_tokens = batch.batch_size * batch.sequence_length;
  batch.useful_tokens = std::count(batch.attention_mask.begin(), batch.attention_mask.end(), std::uint8_t{1});
  batch.has_padding = batch.useful_tokens < batch.processed_tokens;
}

Batch pad_rows(std::span<const Encoding* const> rows, std::int32_t pad, std::optional<std::int64_t> length) {
  std::size_t longest = 0;
  for (const Encoding* row : rows) longest = std::max(longest, row->ids.size());
  if (length && longest > static_cast<std::size_t>(*length)) {
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("a row of {} tokens does not fit into a sequence length of {}", longest, *length));
  }
  const std::size_t columns = length ? static_cast<std::size_t>(*length) : longest;
  Batch batch;
  batch.batch_size = static_cast<std::int64_t>(rows.size());
  batch.sequence_length = static_cast<std::int64_t>(columns);
  batch.input_ids.assign(rows.size() * columns, pad);
  batch.attention_mask.assign(rows.size() * columns, 0);
  batch.token_type_ids.assign(rows.size() * columns, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Encoding& encoding = *rows[row];
    const auto at = static_cast<std::ptrdiff_t>(row * columns);
    std::copy(encoding.ids.begin(), encoding.ids.end(), batch.input_ids.begin() + at);
    std::copy(encoding.type_ids.begin(), encoding.type_ids.end(), batch.token_type_ids.begin() + at);
    std::fill_n(batch.attention_mask.begin() + at, encoding.ids.size(), std::uint8_t{1});
  }
  count_tokens(batch);
  return batch;
}

}  // namespace transformeter
