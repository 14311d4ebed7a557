// Written so that the compiler vectorises the loops over columns, for the processor's widest registers.
#include "engine/row_quantizer.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace transformeter {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TRANSFORMETER_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRANSFORMETER_WIDE
#endif

constexpr std::int64_t kRowsPerTask = 8;

// In two loops each, over plain arrays, for they are what the compiler vectorises.
TRANSFORMETER_WIDE float largest_magnitude(const float* values, std::int64_t count) {
  float lanes[16] = {};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) lanes[lane] = std::max(lanes[lane], std::fabs(values[i + lane]));
  }
  float largest = 0;
  for (const float lane : lanes) largest = std::max(largest, lane);
  for (; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
  return largest;
}

// 0 · x is NaN for what is not finite, which comparisons alone would pass over.
TRANSFORMETER_WIDE bool all_finite(const float* values, std::int64_t count) {
  float lanes[16] = {};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int lane = 0; lane < 16; ++lane) lanes[lane] += 0.0F * values[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += 0.0F * values[i];
  return sum == 0;
}

TRANSFORMETER_WIDE void to_int8(const float* values, float inverse, std::int8_t* result, std::int64_t count) {
  // Adding 1.5 · 2²³ leaves a float's nearest whole number, ties to even, in its lowest bits.
  constexpr float kRound = 12582912.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = static_cast<std::int8_t>(static_cast<int>((values[i] * inverse + kRound) - kRound));
  }
}

struct ByteScale {
  float inverse;
  float zero_point;
};
TRANSFORMETER_WIDE void to_bytes(const float* values, ByteScale scale, std::uint8_t* result, std::int64_t count) {
  constexpr float kRound = 12582912.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    const float byte = std::min(std::max(values[i] * scale.inverse + scale.zero_point, 0.0F), 255.0F);
    result[i] = static_cast<std::uint8_t>(static_cast<int>((byte + kRound) - kRound));
  }
}

TRANSFORMETER_WIDE void scale_sums(const std::int32_t* sums, float row_scale, const float* weight_scales, float* result,
                                   std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<float>(sums[i]) * (row_scale * weight_scales[i]);
}

TRANSFORMETER_WIDE void scale_values(const float* values, float row_scale, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = values[i] * row_scale;
}

TRANSFORMETER_WIDE void add_to(const float* values, float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] += values[i];
}

// One row in fp32, converted through `buffer` where the tensor is not.
template <typename T>
const float* row_as_float(const T* row, std::vector<float>& buffer) {
  if constexpr (std::is_same_v<T, float>) {
    return row;
  } else {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<float>(row[i]);
    return buffer.data();
  }
}

}  // namespace

QuantizedRows quantize_rows(const at::Tensor& input) {
  const std::int64_t rows = input.size(0);
  const std::int64_t columns = input.size(1);
  QuantizedRows quantized{at::empty({rows, columns}, input.options().dtype(at::kChar)),
                          at::empty({rows}, input.options().dtype(at::kFloat))};
  auto* values = quantized.values.data_ptr<std::int8_t>();
  auto* scales = quantized.scales.data_ptr<float>();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "quantize_rows", [&] {
    const auto* source = input.const_data_ptr<scalar_t>();
    at::parallel_for(0, rows, kRowsPerTask, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(static_cast<std::size_t>(columns));
      for (std::int64_t row = begin; row < end; ++row) {
        const float* from = row_as_float(source + row * columns, buffer);
        if (!all_finite(from, columns)) {
          scales[row] = std::numeric_limits<float>::quiet_NaN();
          std::fill_n(values + row * columns, columns, std::int8_t{0});
          continue;
        }
        const float scale = largest_magnitude(from, columns) / 127.0F;
        scales[row] = scale;
        to_int8(from, scale > 0 ? 1.0F / scale : 0.0F, values + row * columns, columns);
      }
    });
  });
  return quantized;
}

ByteRange byte_range(double smallest, double largest) {
  constexpr double kSteps = 255;
  const double low = std::min(smallest, 0.0);
  const double high = std::max(largest, 0.0);
  const double scale = high > low ? (high - low) / kSteps : 1.0;
  return {scale, static_cast<std::int64_t>(std::clamp(std::nearbyint(-low / scale), 0.0, kSteps))};
}

QuantizedBytes quantize_bytes(const at::Tensor& input, const ByteRange& range) {
  constexpr std::int64_t kValuesPerTask = 8192;
  at::Tensor bytes = at::empty(input.sizes(), input.options().dtype(at::kByte));
  auto* target = bytes.data_ptr<std::uint8_t>();
  const auto inverse = static_cast<float>(1.0 / range.scale);
  const auto zero = static_cast<float>(range.zero_point);
  std::atomic<bool> is_finite{true};
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "quantize_bytes", [&] {
    const auto* source = input.const_data_ptr<scalar_t>();
    at::parallel_for(0, input.numel(), kValuesPerTask, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(static_cast<std::size_t>(end - begin));
      const float* from = row_as_float(source + begin, buffer);
      if (all_finite(from, end - begin)) {
        to_bytes(from, {inverse, zero}, target + begin, end - begin);
      } else {
        is_finite = false;
      }
    });
  });
  return {bytes, is_finite};
}

at::Tensor dequantize_rows(const at::Tensor& sums, const at::Tensor& row_scales, const RowEpilogue& epilogue,
                           c10::ScalarType type) {
  const std::int64_t rows = sums.size(0);
  const std::int64_t columns = sums.size(1);
  at::Tensor output = at::empty({rows, columns}, sums.options().dtype(type));
  const auto* scales = row_scales.const_data_ptr<float>();
  const bool has_scales = !epilogue.weight_scales.defined();
  const float* bias = epilogue.bias.defined() ? epilogue.bias.const_data_ptr<float>() : nullptr;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, type, "dequantize_rows", [&] {
    const scalar_t* residual = epilogue.residual.defined() ? epilogue.residual.const_data_ptr<scalar_t>() : nullptr;
    auto* target = output.data_ptr<scalar_t>();
    at::parallel_for(0, rows, kRowsPerTask, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(static_cast<std::size_t>(columns));
      std::vector<float> wide(residual != nullptr ? static_cast<std::size_t>(columns) : 0);
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t at = row * columns;
        if (has_scales) {
          scale_values(sums.const_data_ptr<float>() + at, scales[row], buffer.data(), columns);
        } else {
          scale_sums(sums.const_data_ptr<std::int32_t>() + at, scales[row],
                     epilogue.weight_scales.const_data_ptr<float>(), buffer.data(), columns);
        }
        if (bias != nullptr) add_to(bias, buffer.data(), columns);
        if (residual != nullptr) add_to(row_as_float(residual + at, wide), buffer.data(), columns);
        for (std::int64_t i = 0; i < columns; ++i)
          target[at + i] = static_cast<scalar_t>(buffer[static_cast<std::size_t>(i)]);
      }
    });
  });
  return output;
}

}  // namespace transformeter
