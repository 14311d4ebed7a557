// The heads of all rows lie one after another, [B · H, T, d]; a tile is some of these and a range of their queries.
#include "engine/tiled_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/bf16_softmax.h"
#include "engine/plain_operators.h"
#include "engine/row_access.h"
#include "engine/softmax_rows.h"

namespace transformeter {
namespace {

constexpr std::int64_t kQueriesOfStep = 128;
constexpr std::int64_t kScoresPerTask = 32768;

struct TileSize {
  std::int64_t heads, queries;
};

// Whole heads where some fit, since fewer and larger products are faster; else as many queries as do.
TileSize tile_size(std::int64_t heads, std::int64_t queries, std::int64_t keys) {
  const std::int64_t of_head = queries * keys;
  constexpr std::int64_t kFewHeads = 4;
  if (std::min(heads, kFewHeads) * of_head <= kMostTileScores)
    return {std::min(heads, kMostTileScores / of_head), queries};
  const std::int64_t steps = std::max<std::int64_t>(1, kMostTileScores / (kFewHeads * keys * kQueriesOfStep));
  return {std::min(heads, kFewHeads), std::min(queries, steps * kQueriesOfStep)};
}

// Dense: what the products copy for themselves takes several times as long.
at::Tensor heads_alone(const at::Tensor& tokens) {
  return tokens.reshape({tokens.size(0) * tokens.size(1), tokens.size(2), tokens.size(3)}).contiguous();
}

struct Tile {
  std::int64_t first_head, first_query;
  at::Tensor scores;  // [heads, queries, keys]
};

template <typename T>
using Rows = std::conditional_t<std::is_same_v<T, c10::BFloat16>, Bf16SoftmaxRows, SoftmaxRows<T>>;

// Scores become shares. `common`: what all rows of scores have.
template <typename T>
void soften(const Tile& tile, const SoftmaxRow& common, const AttentionInputs& inputs, const at::Tensor& mask) {
  const std::int64_t heads = inputs.query.size(1);
  const std::int64_t queries = tile.scores.size(1);
  const std::int64_t keys = common.columns;
  T* const scores = tile.scores.data_ptr<T>();
  const std::int64_t rows_of_task = std::max<std::int64_t>(1, kScoresPerTask / keys);
  at::parallel_for(0, tile.scores.size(0) * queries, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    Rows<T> rows(keys);
    SoftmaxRow row = common;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t query = tile.first_query + i % queries;
      const std::int64_t head = tile.first_head + i / queries;
      row.mask = mask_row(mask, head / heads, head % heads, query);
      row.seen = inputs.is_causal ? std::min(query + 1, keys) : keys;
      rows.soften(scores + i * keys, row);
    }
  });
}

template <typename T>
at::Tensor compute(const AttentionInputs& inputs) {
  const std::int64_t heads_of_row = inputs.query.size(1);
  SoftmaxRow row;
  row.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(inputs.query.size(3))));
  row.columns = inputs.key.size(2);
  at::Tensor query = heads_alone(inputs.query);
  if constexpr (std::is_same_v<T, c10::Half>) {  // whose largest value scores may exceed before they are scaled
    query = query * row.scale;
    row.scale = 1;
  }
  const at::Tensor key = heads_alone(repeat_heads(inputs.key, heads_of_row)).transpose(1, 2);
  const at::Tensor value = heads_alone(repeat_heads(inputs.value, heads_of_row));
  const std::int64_t heads = query.size(0);
  const std::int64_t queries = query.size(1);
  const std::int64_t keys = row.columns;
  at::Tensor output = at::empty({heads, queries, value.size(2)}, query.options());
  const at::Tensor mask = mask_of_scores(inputs);
  const TileSize size = tile_size(heads, queries, keys);
  const at::Tensor buffer = at::empty({size.heads * size.queries * keys}, query.options());
  for (std::int64_t head = 0; head < heads; head += size.heads) {
    const std::int64_t last_head = std::min(head + size.heads, heads);
    for (std::int64_t first = 0; first < queries; first += size.queries) {
      const std::int64_t last = std::min(first + size.queries, queries);
      Tile tile{
          head, first,
          buffer.slice(0, 0, (last_head - head) * (last - first) * keys).view({last_head - head, last - first, keys})};
      at::bmm_out(tile.scores, query.slice(0, head, last_head).slice(1, first, last), key.slice(0, head, last_head));
      soften<T>(tile, row, inputs, mask);
      at::Tensor of_tile = output.slice(0, head, last_head).slice(1, first, last);
      at::bmm_out(of_tile, tile.scores, value.slice(0, head, last_head));
    }
  }
  return output.view({inputs.query.size(0), heads_of_row, queries, value.size(2)});
}

}  // namespace

at::Tensor tiled_attention(const AttentionInputs& inputs) {
  TORCH_CHECK(inputs.dropout == 0 && inputs.key.size(2) > 0, "tiled_attention: no dropout, and at least one key");
  RECORD_FUNCTION("transformeter::tiled_attention", (std::vector<c10::IValue>{inputs.query, inputs.key, inputs.value}));
  const at::DisableRecordFunctionGuard no_records;  // its products are no products with weights
  at::Tensor output;
  if (inputs.query.numel() == 0) return at::empty_like(inputs.query);
  by_type(inputs.query.scalar_type(), "tiled_attention", [&]<typename T>() { output = compute<T>(inputs); });
  return output;
}

}  // namespace transformeter
