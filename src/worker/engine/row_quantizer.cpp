// Written so that the compiler vectorises the loops over columns, for the processor's widest registers.
#include "engine/row_quantizer.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/row_access.h"

namespace transformeter {
namespace {

// Elements that a task has at least: fewer are not worth another thread.
constexpr std::int64_t kValuesPerTask = 32768;

std::int64_t units_per_task(std::int64_t values_per_unit) {
  return std::max<std::int64_t>(1, kValuesPerTask / std::max<std::int64_t>(values_per_unit, 1));
}

// Of the magnitudes: without their signs floats are ordered as their bits are, infinite values and NaN above all
// others.
constexpr std::int32_t kMagnitude = 0x7fffffff;
constexpr std::int32_t kInfinite = 0x7f800000;

TRANSFORMETER_WIDE std::int32_t largest_magnitude_bits(const float* values, std::int64_t count) {
  std::int32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & kMagnitude);
  }
  return largest;
}

// Of int8 the bits; `offset`: 0 or kByteOffset.
TRANSFORMETER_WIDE void to_int8(const float* values, float inverse, int offset, std::uint8_t* result,
                                std::int64_t count) {
  // Adding 1.5 · 2²³ leaves a float's nearest whole number, ties to even, in its lowest bits.
  constexpr float kRound = 12582912.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = static_cast<std::uint8_t>(static_cast<int>((values[i] * inverse + kRound) - kRound) + offset);
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

// What follows the sums of a row, or of a part of it; null: none.
struct RowPart {
  float row_scale = 0;
  const float* weight_scales = nullptr;
  const float* bias = nullptr;
  const float* residual = nullptr;
};

// One loop for each that is not there, so that none has a branch. Inlined into functions that are compiled for several
// processors.
template <typename Sum, typename Scale>
inline __attribute__((always_inline)) void finish(const Sum* sums, const RowPart& part, const Scale& scale,
                                                  float* result, std::int64_t count) {
  const float* const bias = part.bias;
  const float* const residual = part.residual;
  if (bias != nullptr && residual != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<float>(sums[i]) * scale(i) + bias[i] + residual[i];
  } else if (bias != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<float>(sums[i]) * scale(i) + bias[i];
  } else if (residual != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<float>(sums[i]) * scale(i) + residual[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<float>(sums[i]) * scale(i);
  }
}

TRANSFORMETER_WIDE void finish_whole(const std::int32_t* sums, const RowPart& part, float* result, std::int64_t count) {
  const float row_scale = part.row_scale;
  const float* const scales = part.weight_scales;
  finish(
      sums, part, [=](std::int64_t i) { return row_scale * scales[i]; }, result, count);
}

// Of sums that have the weights' scales already.
TRANSFORMETER_WIDE void finish_scaled(const float* sums, const RowPart& part, float* result, std::int64_t count) {
  const float row_scale = part.row_scale;
  finish(
      sums, part, [=](std::int64_t) { return row_scale; }, result, count);
}

// Gives the scale.
float quantize_row(const float* values, int offset, std::uint8_t* result, std::int64_t columns) {
  const std::int32_t bits = largest_magnitude_bits(values, columns);
  if (bits >= kInfinite) {
    std::fill_n(result, columns, static_cast<std::uint8_t>(offset));
    return std::numeric_limits<float>::quiet_NaN();
  }
  // A row whose scale has no finite inverse is as good as zeros.
  const float scale = std::bit_cast<float>(bits) / 127.0F;
  const float inverse = 1.0F / scale;
  to_int8(values, std::isfinite(inverse) ? inverse : 0.0F, offset, result, columns);
  return scale;
}

QuantizedRows no_rows_yet(std::int64_t rows, std::int64_t columns, RowBytes form) {
  const c10::ScalarType type = form == RowBytes::kSigned ? at::kChar : at::kByte;
  return {at::empty({rows, columns}, type), at::empty({rows}, at::kFloat)};
}

std::uint8_t* bytes_of(QuantizedRows& rows) {
  return static_cast<std::uint8_t*>(rows.values.mutable_data_ptr());
}

int offset_of(RowBytes form) {
  return form == RowBytes::kSigned ? 0 : static_cast<int>(kByteOffset);
}

const float* values_or_null(const at::Tensor& values) {
  return values.defined() ? values.const_data_ptr<float>() : nullptr;
}

// sums[first …] in fp32.
void finish_sums(const at::Tensor& sums, std::int64_t first, const RowPart& part, float* result, std::int64_t count) {
  if (part.weight_scales == nullptr) {
    finish_scaled(sums.const_data_ptr<float>() + first, part, result, count);
  } else {
    finish_whole(sums.const_data_ptr<std::int32_t>() + first, part, result, count);
  }
}

}  // namespace

QuantizedRows quantize_rows(const at::Tensor& input, RowBytes form) {
  RECORD_FUNCTION("transformeter::quantize_rows", std::vector<c10::IValue>({input}));
  const std::int64_t rows = input.size(0);
  const std::int64_t columns = input.size(1);
  QuantizedRows quantized = no_rows_yet(rows, columns, form);
  std::uint8_t* const values = bytes_of(quantized);
  auto* scales = quantized.scales.data_ptr<float>();
  by_type(input.scalar_type(), "quantize_rows", [&]<typename T>() {
    const auto* source = input.const_data_ptr<T>();
    at::parallel_for(0, rows, units_per_task(columns), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(buffer_size<T>(static_cast<std::size_t>(columns)));
      for (std::int64_t row = begin; row < end; ++row) {
        const float* from = row_as_float(source + row * columns, buffer);
        scales[row] = quantize_row(from, offset_of(form), values + row * columns, columns);
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
  RECORD_FUNCTION("transformeter::quantize_bytes", std::vector<c10::IValue>({input}));
  at::Tensor bytes = at::empty(input.sizes(), input.options().dtype(at::kByte));
  auto* target = bytes.data_ptr<std::uint8_t>();
  const auto inverse = static_cast<float>(1.0 / range.scale);
  const auto zero = static_cast<float>(range.zero_point);
  std::atomic<bool> is_finite{true};
  by_type(input.scalar_type(), "quantize_bytes", [&]<typename T>() {
    const auto* source = input.const_data_ptr<T>();
    at::parallel_for(0, input.numel(), kValuesPerTask, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer(buffer_size<T>(static_cast<std::size_t>(end - begin)));
      const float* from = row_as_float(source + begin, buffer);
      if (largest_magnitude_bits(from, end - begin) < kInfinite) {
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
  RECORD_FUNCTION("transformeter::dequantize_rows", std::vector<c10::IValue>({sums, epilogue.residual}));
  const std::int64_t rows = sums.size(0);
  const std::int64_t columns = sums.size(1);
  at::Tensor output = at::empty({rows, columns}, sums.options().dtype(type));
  const auto* row_scale = row_scales.const_data_ptr<float>();
  const float* const weight_scales = values_or_null(epilogue.weight_scales);
  const float* const bias = values_or_null(epilogue.bias);
  // A long row, as a language model's one of logits, is shared out too.
  const std::int64_t part = std::min(columns, kValuesPerTask);
  const std::int64_t parts = (columns + part - 1) / std::max<std::int64_t>(part, 1);
  by_type(type, "dequantize_rows", [&]<typename T>() {
    const T* residual = epilogue.residual.defined() ? epilogue.residual.const_data_ptr<T>() : nullptr;
    auto* target = output.data_ptr<T>();
    at::parallel_for(0, rows * parts, units_per_task(part), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> buffer;
      std::vector<float> wide;
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t row = unit / parts;
        const std::int64_t column = unit % parts * part;
        const std::int64_t count = std::min(part, columns - column);
        const std::int64_t at = row * columns + column;
        buffer.resize(buffer_size<T>(static_cast<std::size_t>(count)));
        wide.resize(buffer.size());
        const RowPart what{row_scale[row], weight_scales == nullptr ? nullptr : weight_scales + column,
                           bias == nullptr ? nullptr : bias + column,
                           residual == nullptr ? nullptr : row_as_float(residual + at, wide)};
        fill_row(target + at, buffer, [&](float* result) { finish_sums(sums, at, what, result, count); });
      }
    });
  });
  return output;
}

QuantizedRows requantize_rows(const at::Tensor& sums, const at::Tensor& row_scales, const RowEpilogue& epilogue,
                              RowActivation activation, RowBytes form) {
  RECORD_FUNCTION("transformeter::requantize_rows", std::vector<c10::IValue>({sums}));
  const std::int64_t rows = sums.size(0);
  const std::int64_t columns = sums.size(1);
  QuantizedRows quantized = no_rows_yet(rows, columns, form);
  std::uint8_t* const values = bytes_of(quantized);
  auto* const scales = quantized.scales.data_ptr<float>();
  const auto* const row_scale = row_scales.const_data_ptr<float>();
  const float* const weight_scales = values_or_null(epilogue.weight_scales);
  const float* const bias = values_or_null(epilogue.bias);
  at::parallel_for(0, rows, units_per_task(columns), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> wide(static_cast<std::size_t>(columns));
    for (std::int64_t row = begin; row < end; ++row) {
      finish_sums(sums, row * columns, {row_scale[row], weight_scales, bias, nullptr}, wide.data(), columns);
      activation(wide.data(), columns);
      scales[row] = quantize_row(wide.data(), offset_of(form), values + row * columns, columns);
    }
  });
  return quantized;
}

}  // namespace transformeter
