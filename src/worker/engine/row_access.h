// Helpers for kernels over the rows of a tensor: access in fp32 for any type, and compilation for the CPU's vector
// width.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// Loops over plain arrays, compiled for the processor's widest registers and chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TRANSFORMETER_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRANSFORMETER_WIDE
#endif

namespace transformeter {

/// Calls work with the type of a tensor's elements: fp32, bf16 or fp16. `name` is the kernel's, for what is thrown.
template <typename Work>
void by_type(c10::ScalarType type, const char* name, const Work& work) {
  if (type == c10::ScalarType::Float) return work.template operator()<float>();
  if (type == c10::ScalarType::BFloat16) return work.template operator()<c10::BFloat16>();
  if (type == c10::ScalarType::Half) return work.template operator()<c10::Half>();
  TORCH_CHECK(false, name, ": fp32, bf16 or fp16, not ", type);
}

/// To the nearest, of two as near to the even one; NaN stays NaN, as in c10::BFloat16. Bits alone, which the compiler
/// vectorises.
inline std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U;
  return static_cast<std::uint16_t>(value == value ? rounded : 0x7FC0U);  // NOLINT(misc-redundant-expression)
}

/// `count` values in fp32, and back, each rounded to the nearest.
void widen_row(const c10::BFloat16* row, float* result, std::size_t count);
void widen_row(const c10::Half* row, float* result, std::size_t count);
void narrow_row(const float* row, c10::BFloat16* result, std::size_t count);
void narrow_row(const float* row, c10::Half* result, std::size_t count);

/// A row of T: itself where T is float, else converted into `buffer`, whose size is the row's.
template <typename T>
const float* row_as_float(const T* row, std::vector<float>& buffer) {
  if constexpr (std::is_same_v<T, float>) {
    return row;
  } else {
    widen_row(row, buffer.data(), buffer.size());
    return buffer.data();
  }
}

/// Computes a row of T in fp32: fill(float*) writes it in place where T is float, else into `buffer`, whose size is the
/// row's.
template <typename T, typename Fill>
void fill_row(T* row, std::vector<float>& buffer, const Fill& fill) {
  if constexpr (std::is_same_v<T, float>) {
    fill(row);
  } else {
    fill(buffer.data());
    narrow_row(buffer.data(), row, buffer.size());
  }
}

/// Elements of a row for which a buffer is needed: none where T is float.
template <typename T>
std::size_t buffer_size(std::size_t columns) {
  return std::is_same_v<T, float> ? 0 : columns;
}

}  // namespace transformeter
