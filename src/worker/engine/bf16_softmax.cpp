// Sixteen columns at a time, in vectors that the compiler splits for narrower processors; what a row has beyond a
// multiple of sixteen is filled with scores that nothing sees.
#include "engine/bf16_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/row_access.h"

namespace transformeter {
namespace {

constexpr std::int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(kLanes * 4)));
using Words = std::uint32_t __attribute__((vector_size(kLanes * 4)));
using Halves = std::uint16_t __attribute__((vector_size(kLanes * 2)));
using HalfFloats = float __attribute__((vector_size(kLanes * 2)));
using QuarterFloats = float __attribute__((vector_size(kLanes)));

constexpr float kNothing = -std::numeric_limits<float>::infinity();

std::int64_t whole_lanes(std::int64_t columns) {
  return (columns + kLanes - 1) / kLanes * kLanes;
}

// All lanes of `all` by `join`, which leaves its result in the first: halves first, since each step waits for the last.
template <typename Join>
inline float joined(const Floats& all, const Join& join) {
  HalfFloats halves[2];
  std::memcpy(&halves, &all, sizeof(all));
  join(halves[0], halves[1]);
  QuarterFloats quarters[2];
  std::memcpy(&quarters, halves, sizeof(halves[0]));
  join(quarters[0], quarters[1]);
  float lanes[4];
  std::memcpy(&lanes, quarters, sizeof(lanes));
  join(lanes[0], lanes[2]);
  join(lanes[1], lanes[3]);
  join(lanes[0], lanes[1]);
  return lanes[0];
}

// scale · scores + mask in `values`, and their largest: NaN for a row of nothing else.
TRANSFORMETER_WIDE float scale(const c10::BFloat16* scores, const SoftmaxRow& row, float* values) {
  const auto larger = [](auto& one, const auto& other) { one = one > other ? one : other; };
  const std::int64_t whole = row.seen / kLanes * kLanes;
  Floats most = Floats{} + kNothing;
  const float* const mask = row.mask;
  const float factor = row.scale;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    Halves bits;
    std::memcpy(&bits, scores + i, sizeof(bits));
    const auto wide = reinterpret_cast<Floats>(__builtin_convertvector(bits, Words) << 16U);
    Floats value = wide * factor;
    if (mask != nullptr) {
      Floats added;
      std::memcpy(&added, mask + i, sizeof(added));
      value += added;
    }
    std::memcpy(values + i, &value, sizeof(value));
    larger(most, value);
  }
  float largest = joined(most, larger);
  for (std::int64_t i = whole; i < row.seen; ++i) {
    values[i] = static_cast<float>(scores[i]) * factor + (mask != nullptr ? mask[i] : 0.0F);
    larger(largest, values[i]);
  }
  std::fill(values + row.seen, values + whole_lanes(row.columns), kNothing);
  return largest;
}

// Values become exp(value - largest); returns their sum. 2ⁿ by its bits, the rest by the polynomial of fourth degree
// whose largest error relative to the exponential is the least.
TRANSFORMETER_WIDE float exponentials(float* values, float largest, std::int64_t count) {
  constexpr float kToNearest = 12582912.0F;  // 1.5 · 2²³: what is added to it loses its fraction
  constexpr float kLeast = -87.0F;           // below it nothing is left
  Floats sums{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Floats value;
    std::memcpy(&value, values + i, sizeof(value));
    const Floats x = value - largest;
    const Floats bounded = x < kLeast ? Floats{} + kLeast : x;
    const Floats shifted = bounded * 1.44269504F + kToNearest;
    const Floats r = bounded - (shifted - kToNearest) * 0.693147181F;
    Floats y = r * 0.0414584F + 0.167910306F;
    y = y * r + 0.500043674F;
    y = y * r + 0.999963333F;
    y = y * r + 0.999999259F;
    const Words power = reinterpret_cast<Words>(shifted) << 23U;
    y = reinterpret_cast<Floats>(reinterpret_cast<Words>(y) + power);
    y = x < kLeast ? Floats{} : y;
    sums += y;
    std::memcpy(values + i, &y, sizeof(y));
  }
  return joined(sums, [](auto& one, const auto& other) { one += other; });
}

TRANSFORMETER_WIDE void store(const float* values, float factor, c10::BFloat16* shares, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) shares[i].x = bf16_bits(values[i] * factor);
}

}  // namespace

Bf16SoftmaxRows::Bf16SoftmaxRows(std::int64_t columns) : buffer_(static_cast<std::size_t>(whole_lanes(columns))) {}

void Bf16SoftmaxRows::soften(c10::BFloat16* scores, const SoftmaxRow& row) {
  float* const values = buffer_.data();
  const std::int64_t count = whole_lanes(row.columns);
  const float largest = scale(scores, row, values);
  // Of a row of which nothing is seen the sum is 0, or NaN where one of its scores is.
  const float sum = exponentials(values, largest == kNothing ? 0 : largest, count);
  store(values, sum == 0 ? 0 : 1 / sum, scores, row.columns);
}

}  // namespace transformeter
