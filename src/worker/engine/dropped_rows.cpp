// Forward and backward are the same product with the same factors.
#include "engine/dropped_rows.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>

#include "engine/dropout_stream.h"
#include "engine/row_access.h"

namespace transformeter {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kValuesPerTask = 32768;

TRANSFORMETER_WIDE void multiply(const float* values, DropoutRow row, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = values[i] * row.factor(static_cast<std::uint32_t>(i));
}

template <typename T>
void multiply_rows(const T* from, const DropoutStream& stream, T* to, std::int64_t rows, std::int64_t columns) {
  const std::int64_t rows_per_task = std::max<std::int64_t>(1, kValuesPerTask / columns);
  at::parallel_for(0, rows, rows_per_task, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> source(buffer_size<T>(static_cast<std::size_t>(columns)));
    std::vector<float> result = source;
    for (std::int64_t i = begin; i < end; ++i) {
      const DropoutRow row = stream.row(static_cast<std::uint64_t>(i));
      const float* const values = row_as_float(from + i * columns, source);
      fill_row(to + i * columns, result, [&](float* filled) { multiply(values, row, filled, columns); });
    }
  });
}

at::Tensor multiplied(const at::Tensor& input, const DropoutStream& stream) {
  const at::Tensor source = input.contiguous();
  at::Tensor result = at::empty_like(source, at::MemoryFormat::Contiguous);
  if (source.numel() == 0) return result;
  const std::int64_t columns = source.size(-1);
  by_type(source.scalar_type(), "dropped_rows", [&]<typename T>() {
    multiply_rows(source.const_data_ptr<T>(), stream, result.data_ptr<T>(), source.numel() / columns, columns);
  });
  return result;
}

struct DroppedRows : torch::autograd::Function<DroppedRows> {
  static Variable forward(AutogradContext* context, const Variable& input, double share, std::int64_t seed) {
    context->saved_data["share"] = share;
    context->saved_data["seed"] = seed;
    return multiplied(input, {static_cast<std::uint64_t>(seed), share});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const DropoutStream stream(static_cast<std::uint64_t>(context->saved_data["seed"].toInt()),
                               context->saved_data["share"].toDouble());
    return {multiplied(gradients.front(), stream), Variable(), Variable()};
  }
};

}  // namespace

at::Tensor dropped_rows(const at::Tensor& input, double share) {
  return DroppedRows::apply(input, share, static_cast<std::int64_t>(next_dropout_seed()));
}

}  // namespace transformeter
