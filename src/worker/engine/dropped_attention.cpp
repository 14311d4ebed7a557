// Each thread takes heads of keys, with all query heads that they serve: gradients of keys and values have one writer.
#include "engine/dropped_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/dropout_stream.h"
#include "engine/plain_operators.h"
#include "engine/row_access.h"
#include "engine/softmax_rows.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kQueriesOfBlock = 128;

// What both passes know.
struct Attention {
  at::Tensor query, key, value;  // [B, H, T, d], [B, G, S, d], vectors dense
  at::Tensor mask;               // [B, H, T, S] fp32, mostly with strides 0; undefined: none
  bool is_causal = false;
  DropoutStream stream;
  c10::ScalarType products;  // what tiles are computed in

  std::int64_t heads() const { return query.size(1); }
  std::int64_t groups() const { return key.size(1); }
  std::int64_t heads_of_group() const { return heads() / groups(); }
  std::int64_t queries() const { return query.size(2); }
  std::int64_t keys() const { return key.size(2); }
  float scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(query.size(3)))); }
};

// Queries of one head.
struct Block {
  std::int64_t batch, head, begin, end;

  at::Tensor of(const at::Tensor& tokens) const { return tokens[batch][head].slice(0, begin, end); }
};

void multiply_into(at::Tensor result, const at::Tensor& left, const at::Tensor& right) {
  if (result.scalar_type() == left.scalar_type()) {
    at::mm_out(result, left, right);
  } else {
    result.copy_(at::mm(left, right));
  }
}

SoftmaxRow row_of(const Attention& attention, const Block& block, std::int64_t query) {
  SoftmaxRow row;
  row.scale = attention.scale();
  row.columns = attention.keys();
  row.seen = attention.is_causal ? std::min(query + 1, row.columns) : row.columns;
  const std::int64_t place = (block.batch * attention.heads() + block.head) * attention.queries() + query;
  row.dropout = attention.stream.row(static_cast<std::uint64_t>(place));
  row.mask = mask_row(attention.mask, block.batch, block.head, query);
  return row;
}

// Calls work(batch, group, heads' blocks) on threads, below autograd and autocast. Their products are parts of one
// operator, which is recorded itself: a probe must not take them for products with weights.
template <typename Work>
void for_each_group(const Attention& attention, const Work& work) {
  const std::int64_t groups = attention.groups();
  at::parallel_for(0, attention.query.size(0) * groups, 1, [&](std::int64_t begin, std::int64_t end) {
    const at::DisableRecordFunctionGuard no_records;
    const at::AutoDispatchBelowAutograd no_gradients;
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);  // products are as asked
    for (std::int64_t i = begin; i < end; ++i) {
      std::vector<Block> blocks;
      for (std::int64_t head = 0; head < attention.heads_of_group(); ++head) {
        for (std::int64_t first = 0; first < attention.queries(); first += kQueriesOfBlock) {
          blocks.push_back({i / groups, i % groups * attention.heads_of_group() + head, first,
                            std::min(first + kQueriesOfBlock, attention.queries())});
        }
      }
      work(i / groups, i % groups, blocks);
    }
  });
}

at::Tensor empty_tile(const Attention& attention) {
  return at::empty({std::min(kQueriesOfBlock, attention.queries()), attention.keys()},
                   attention.query.options().dtype(attention.products));
}

at::Tensor zeros_like_rows(const at::Tensor& rows, c10::ScalarType type) {
  return at::zeros(rows.sizes(), rows.options().dtype(type));
}

// [B, H, T, width] as of `like` that lies in memory as [B, T, H, width], from where it goes on without a copy.
at::Tensor tokens_first(const at::Tensor& like, std::int64_t width) {
  return at::empty({like.size(0), like.size(2), like.size(1), width}, like.options()).transpose(1, 2);
}

at::Tensor tokens_first(const at::Tensor& like) {
  return tokens_first(like, like.size(3));
}

template <typename T>
void compute(const Attention& attention, at::Tensor& output, at::Tensor& log_sums) {
  for_each_group(attention, [&](std::int64_t batch, std::int64_t group, const std::vector<Block>& blocks) {
    const at::Tensor keys = attention.key[batch][group].to(attention.products).t();
    const at::Tensor values = attention.value[batch][group].to(attention.products);
    const at::Tensor scores = empty_tile(attention);
    SoftmaxRows<T> rows(attention.keys());
    for (const Block& block : blocks) {
      at::Tensor tile = scores.slice(0, 0, block.end - block.begin);
      at::mm_out(tile, block.of(attention.query).to(attention.products), keys);
      float* const sums = log_sums[block.batch][block.head].template data_ptr<float>();
      for (std::int64_t query = block.begin; query < block.end; ++query) {
        T* const row = tile.data_ptr<T>() + (query - block.begin) * attention.keys();
        sums[query] = rows.soften(row, row_of(attention, block, query));
      }
      multiply_into(block.of(output), tile, values);
    }
  });
}

struct Gradients {
  at::Tensor query, key, value;
};

template <typename T>
void differentiate(const Attention& attention, const at::Tensor& log_sums, const at::Tensor& of_output,
                   Gradients& gradients) {
  for_each_group(attention, [&](std::int64_t batch, std::int64_t group, const std::vector<Block>& blocks) {
    const at::Tensor keys = attention.key[batch][group].to(attention.products);
    const at::Tensor values = attention.value[batch][group].to(attention.products).t();
    at::Tensor of_keys = zeros_like_rows(keys, attention.products);
    at::Tensor of_values = zeros_like_rows(attention.value[batch][group], attention.products);
    const at::Tensor shares = empty_tile(attention);
    const at::Tensor slopes = empty_tile(attention);
    SoftmaxRows<T> rows(attention.keys());
    for (const Block& block : blocks) {
      at::Tensor share = shares.slice(0, 0, block.end - block.begin);
      at::Tensor slope = slopes.slice(0, 0, block.end - block.begin);
      const at::Tensor queries = block.of(attention.query).to(attention.products);
      const at::Tensor of_block = block.of(of_output).to(attention.products);
      at::mm_out(share, queries, keys.t());
      at::mm_out(slope, of_block, values);
      const float* const sums = log_sums[block.batch][block.head].template const_data_ptr<float>();
      for (std::int64_t query = block.begin; query < block.end; ++query) {
        const std::int64_t offset = (query - block.begin) * attention.keys();
        rows.differentiate(share.data_ptr<T>() + offset, slope.data_ptr<T>() + offset, sums[query],
                           row_of(attention, block, query));
      }
      multiply_into(block.of(gradients.query), slope, keys);
      of_keys.addmm_(slope.t(), queries);
      of_values.addmm_(share.t(), of_block);
    }
    gradients.key[batch][group].copy_(of_keys);
    gradients.value[batch][group].copy_(of_values);
  });
}

struct DroppedAttention : torch::autograd::Function<DroppedAttention> {
  static Variable forward(AutogradContext* context, const Variable& query, const Variable& key, const Variable& value,
                          const std::optional<at::Tensor>& mask, bool is_causal, double share, std::int64_t seed,
                          bool widened) {
    RECORD_FUNCTION(widened ? "transformeter::widened_attention" : "transformeter::dropped_attention",
                    std::vector<c10::IValue>({query, key, value}));
    const Attention attention{with_whole_vectors(query),
                              with_whole_vectors(key),
                              with_whole_vectors(value),
                              mask.value_or(at::Tensor()),
                              is_causal,
                              DropoutStream(static_cast<std::uint64_t>(seed), share),
                              widened ? at::kFloat : query.scalar_type()};
    at::Tensor output = tokens_first(query, value.size(3));
    at::Tensor log_sums =
        at::empty({query.size(0), query.size(1), query.size(2)}, query.options().dtype(c10::ScalarType::Float));
    by_type(attention.products, "dropped_attention", [&]<typename T>() { compute<T>(attention, output, log_sums); });
    context->save_for_backward({attention.query, attention.key, attention.value, attention.mask, log_sums});
    context->saved_data["is_causal"] = is_causal;
    context->saved_data["share"] = share;
    context->saved_data["seed"] = seed;
    context->saved_data["widened"] = widened;
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    RECORD_FUNCTION("transformeter::dropped_attention_backward",
                    std::vector<c10::IValue>({saved[0], saved[1], saved[2]}));
    const Attention attention{saved[0],
                              saved[1],
                              saved[2],
                              saved[3],
                              context->saved_data["is_causal"].toBool(),
                              DropoutStream(static_cast<std::uint64_t>(context->saved_data["seed"].toInt()),
                                            context->saved_data["share"].toDouble()),
                              context->saved_data["widened"].toBool() ? at::kFloat : saved[0].scalar_type()};
    Gradients gradients{tokens_first(attention.query), tokens_first(attention.key), tokens_first(attention.value)};
    const at::Tensor of_output = with_whole_vectors(of_outputs.front());
    by_type(attention.products, "dropped_attention",
            [&]<typename T>() { differentiate<T>(attention, saved[4], of_output, gradients); });
    return {gradients.query, gradients.key, gradients.value, Variable(),
            Variable(),      Variable(),    Variable(),      Variable()};
  }
};

}  // namespace

bool has_dropped_attention(const AttentionInputs& inputs) {
  const c10::ScalarType type = inputs.query.scalar_type();
  const bool is_type = type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
  const bool is_one = inputs.key.scalar_type() == type && inputs.value.scalar_type() == type;
  return inputs.query.is_cpu() && is_type && is_one && inputs.dropout < 1 && !inputs.mask_learns;
}

at::Tensor dropped_attention(const AttentionInputs& inputs, bool widened) {
  const at::Tensor mask = mask_of_scores(inputs);
  return DroppedAttention::apply(inputs.query, inputs.key, inputs.value,
                                 mask.defined() ? std::optional(mask) : std::nullopt, inputs.is_causal, inputs.dropout,
                                 static_cast<std::int64_t>(inputs.dropout > 0 ? next_dropout_seed() : 0), widened);
}

}  // namespace transformeter
