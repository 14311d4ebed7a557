// Written so that the compiler vectorises the loops over columns.
#include "engine/row_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/plain_operators.h"
#include "engine/row_access.h"

namespace transformeter {
namespace {

constexpr std::int64_t kValuesPerTask = 32768;

std::int64_t rows_per_task(std::int64_t columns) {
  return std::max<std::int64_t>(1, kValuesPerTask / std::max<std::int64_t>(columns, 1));
}

TRANSFORMETER_WIDE float sum_of_squares(const float* values, std::int64_t count) {
  float lanes[16] = {};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) lanes[lane] += values[i + lane] * values[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

TRANSFORMETER_WIDE void scale_by(const float* values, float factor, const float* weight, float* result,
                                 std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = values[i] * factor * weight[i];
}

TRANSFORMETER_WIDE void turn(const float* x, const float* cosine, const float* sine, float* result, std::int64_t half) {
  for (std::int64_t i = 0; i < half; ++i) result[i] = x[i] * cosine[i] - x[i + half] * sine[i];
  for (std::int64_t i = 0; i < half; ++i) result[i + half] = x[i + half] * cosine[i] + x[i] * sine[i];
}

// Where a row of the last dimension begins, in elements; rows are counted as they lie in a dense tensor.
std::int64_t row_offset(const at::Tensor& tensor, std::int64_t row) {
  std::int64_t offset = 0;
  for (std::int64_t dimension = tensor.dim() - 2; dimension >= 0; --dimension) {
    offset += row % tensor.size(dimension) * tensor.stride(dimension);
    row /= tensor.size(dimension);
  }
  return offset;
}

// A row of `tensor` in fp32, converted into `buffer` where that is needed.
template <typename T>
const float* row_of(const at::Tensor& tensor, std::int64_t row, std::vector<float>& buffer) {
  return row_as_float(tensor.const_data_ptr<T>() + row_offset(tensor, row), buffer);
}

// In fp32, each value plus `offset`.
template <typename T>
std::vector<float> offset_row(const T* values, std::size_t count, float offset) {
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i) row[i] = static_cast<float>(values[i]) + offset;
  return row;
}

}  // namespace

at::Tensor rms_norm_rows(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) {
  RECORD_FUNCTION("transformeter::rms_norm_rows", std::vector<c10::IValue>({input, weight}));
  const std::int64_t columns = input.size(-1);
  TORCH_CHECK(
      weight.dim() == 1 && weight.size(0) == columns && columns > 0 && weight.scalar_type() == input.scalar_type(),
      "rms_norm_rows: a weight for each column, in the input's type");
  const at::Tensor source = with_whole_vectors(input);
  const at::Tensor factors = weight.contiguous();
  at::Tensor output = at::empty(source.sizes(), source.options());
  const auto size = static_cast<std::size_t>(columns);
  by_type(source.scalar_type(), "rms_norm_rows", [&]<typename T>() {
    auto* to = output.data_ptr<T>();
    const std::vector<float> weights = offset_row(factors.const_data_ptr<T>(), size, static_cast<float>(offset));
    at::parallel_for(0, source.numel() / columns, rows_per_task(columns), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> values_buffer(buffer_size<T>(size));
      for (std::int64_t row = begin; row < end; ++row) {
        const float* const values = row_of<T>(source, row, values_buffer);
        const double mean = static_cast<double>(sum_of_squares(values, columns)) / static_cast<double>(columns);
        const auto factor = static_cast<float>(1.0 / std::sqrt(mean + epsilon));
        fill_row(to + row * columns, values_buffer,
                 [&](float* result) { scale_by(values, factor, weights.data(), result, columns); });
      }
    });
  });
  return output;
}

at::Tensor rotate_rows(const at::Tensor& input, const at::Tensor& cosine, const at::Tensor& sine) {
  RECORD_FUNCTION("transformeter::rotate_rows", std::vector<c10::IValue>({input, cosine, sine}));
  const at::Tensor source = with_whole_vectors(input).transpose(1, 2);  // [B, T, H, d]
  const at::Tensor cosines = cosine.contiguous();
  const at::Tensor sines = sine.contiguous();
  at::Tensor output = at::empty(source.sizes(), source.options());
  const std::int64_t tokens = source.size(0) * source.size(1);
  const std::int64_t heads = source.size(2);
  const std::int64_t width = source.size(3);
  const std::int64_t turned_width = cosines.size(-1);
  const std::int64_t angles = turned_width > 0 ? cosines.numel() / turned_width : 0;
  TORCH_CHECK(turned_width > 0 && turned_width % 2 == 0 && turned_width <= width && sines.sizes() == cosines.sizes() &&
                  (angles == source.size(1) || angles == tokens) && cosines.scalar_type() == input.scalar_type(),
              "rotate_rows: angles of up to d columns, an even number, for each token, in the input's type");
  const auto size = static_cast<std::size_t>(width);
  by_type(source.scalar_type(), "rotate_rows", [&]<typename T>() {
    auto* to = output.data_ptr<T>();
    at::parallel_for(0, tokens, rows_per_task(heads * width), [&](std::int64_t begin, std::int64_t end) {
      const std::vector<float> buffer(buffer_size<T>(size));
      const std::vector<float> angles_buffer(buffer_size<T>(static_cast<std::size_t>(turned_width)));
      std::vector<float> values_buffer = buffer, turned = buffer, cosine_buffer = angles_buffer;
      std::vector<float> sine_buffer = angles_buffer;
      for (std::int64_t token = begin; token < end; ++token) {
        const float* const cosine_row = row_of<T>(cosines, token % angles, cosine_buffer);
        const float* const sine_row = row_of<T>(sines, token % angles, sine_buffer);
        for (std::int64_t row = token * heads; row < (token + 1) * heads; ++row) {
          const float* const values = row_of<T>(source, row, values_buffer);
          fill_row(to + row * width, turned, [&](float* result) {
            turn(values, cosine_row, sine_row, result, turned_width / 2);
            std::copy(values + turned_width, values + width, result + turned_width);
          });
        }
      }
    });
  });
  return output.transpose(1, 2);
}

}  // namespace transformeter
