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

#include "engine/bf16_shares.h"
#include "engine/plain_operators.h"
#include "engine/row_access.h"
#include "engine/softmax_rows.h"

namespace transformeter {
namespace {

// Scores of a tile: measured, 4 MB of bf16 (docs/benchmarks.md).
constexpr std::int64_t kMostScores = std::int64_t{2} << 20;
constexpr std::int64_t kQueriesOfStep = 128;
constexpr std::int64_t kScoresPerTask = 32768;

struct TileSize {
  std::int64_t heads, queries;
};

// Whole heads where some fit, since fewer and larger products are faster; else as many queries as do.
TileSize tile_size(std::int64_t heads, std::int64_t queries, std::int64_t keys) {
  const std::int64_t of_head = queries * keys;
  constexpr std::int64_t kFewHeads = 4;
  if (std::min(heads, kFewHeads) * of_head <= kMostScores) return {std::min(heads, kMostScores / of_head), queries};
  const std::int64_t steps = std::max<std::int64_t>(1, kMostScores / (kFewHeads * keys * kQueriesOfStep));
  return {std::min(heads, kFewHeads), std::min(queries, steps * kQueriesOfStep)};
}

// Dense: what the products copy for themselves takes several times as long.
at::Tensor heads_alone(const at::Tensor& tokens) {
  return tokens.reshape({tokens.size(0) * tokens.size(1), tokens.size(2), tokens.size(3)}).contiguous();
}

struct Mask {
  at::Tensor values;  // [B, H, T, S] fp32, mostly with strides 0; undefined: none
  std::int64_t heads = 0;

  explicit Mask(const AttentionInputs& inputs) : heads(inputs.query.size(1)) {
    if (!inputs.mask.defined()) return;
    values = inputs.mask.to(c10::ScalarType::Float)
                 .contiguous()
                 .expand({inputs.query.size(0), heads, inputs.query.size(2), inputs.key.size(2)});
  }
  const float* row(std::int64_t head, std::int64_t query) const {
    if (!values.defined()) return nullptr;
    return values.const_data_ptr<float>() + head / heads * values.stride(0) + head % heads * values.stride(1) +
           query * values.stride(2);
  }
};

struct Tile {
  std::int64_t first_head, first_query;
  at::Tensor scores;  // [heads, queries, keys]
};

struct SoftmaxKind {
  float scale;
  bool is_causal;
};

float scale_of(const AttentionInputs& inputs) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(inputs.query.size(3))));
}

// One row of shares in its place.
template <typename T>
class Shares {
 public:
  explicit Shares(std::int64_t columns) : rows_(columns) {}
  void of(T* scores, const ScoreRow& row) {
    rows_.drop(scores, {.scale = row.scale, .mask = row.mask, .columns = row.columns, .seen = row.seen});
  }

 private:
  SoftmaxRows<T> rows_;
};

template <>
class Shares<c10::BFloat16> : public Bf16Shares {
 public:
  using Bf16Shares::Bf16Shares;
};

// Scores become shares.
template <typename T>
void soften(const Tile& tile, const SoftmaxKind& kind, const Mask& mask) {
  const std::int64_t queries = tile.scores.size(1);
  const std::int64_t keys = tile.scores.size(2);
  T* const scores = tile.scores.data_ptr<T>();
  const std::int64_t rows_of_task = std::max<std::int64_t>(1, kScoresPerTask / keys);
  at::parallel_for(0, tile.scores.size(0) * queries, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    Shares<T> shares(keys);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t query = tile.first_query + i % queries;
      const std::int64_t seen = kind.is_causal ? std::min(query + 1, keys) : keys;
      shares.of(scores + i * keys, {kind.scale, mask.row(tile.first_head + i / queries, query), keys, seen});
    }
  });
}

template <typename T>
at::Tensor compute(const AttentionInputs& inputs) {
  const std::int64_t heads_of_row = inputs.query.size(1);
  float scale = scale_of(inputs);
  at::Tensor query = heads_alone(inputs.query);
  if constexpr (std::is_same_v<T, c10::Half>) {  // whose largest value scores may exceed before they are scaled
    query = query * scale;
    scale = 1;
  }
  const at::Tensor key = heads_alone(repeat_heads(inputs.key, heads_of_row)).transpose(1, 2);
  const at::Tensor value = heads_alone(repeat_heads(inputs.value, heads_of_row));
  const std::int64_t heads = query.size(0);
  const std::int64_t queries = query.size(1);
  const std::int64_t keys = value.size(1);
  at::Tensor output = at::empty({heads, queries, value.size(2)}, query.options());
  const Mask mask(inputs);
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
      soften<T>(tile, {scale, inputs.is_causal}, mask);
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
