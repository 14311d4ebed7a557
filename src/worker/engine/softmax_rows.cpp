// Written so that the compiler vectorises the loops over columns: sums and maxima in lanes of their own, which it does
// not find by itself, the exponential a polynomial.
#include "engine/softmax_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/row_access.h"

namespace transformeter {
namespace {

// A register of AVX-512, or several of narrower ones.
constexpr std::int64_t kLanes = 16;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

// eˣ of x ≤ 0 to 2 units in the last place, and 0 below −87: Cephes' polynomial on x − n ln 2. NaN stays NaN.
inline float exponential(float x) {
  constexpr float kToNearest = 12582912.0F;  // 1.5 · 2²³: what is added to it loses its fraction
  const float bounded = x < -87.0F ? -87.0F : x;
  const float shifted = bounded * 1.44269504F + kToNearest;
  const float n = shifted - kToNearest;
  const float r = (bounded - n * 0.693359375F) + n * 2.12194440e-4F;
  float y = 1.9875691500e-4F;
  y = y * r + 1.3981999507e-3F;
  y = y * r + 8.3334519073e-3F;
  y = y * r + 4.1665795894e-2F;
  y = y * r + 1.6666665459e-1F;
  y = y * r + 5.0000001201e-1F;
  y = y * r * r + r + 1.0F;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kToNearest);
  const float power = std::bit_cast<float>((exponent + 127U) << 23U);
  return x < -87.0F ? 0.0F : y * power;
}

// Of a row of nothing but NaN it is NaN, and not as if nothing were seen.
TRANSFORMETER_WIDE float largest_of(const float* values, std::int64_t count) {
  Lanes most = Lanes{} - std::numeric_limits<float>::infinity();
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes next;
    std::memcpy(&next, values + i, sizeof(next));
    most = next <= most ? most : next;
  }
  float largest = -std::numeric_limits<float>::infinity();
  for (int lane = 0; lane < kLanes; ++lane) largest = most[lane] <= largest ? largest : most[lane];
  for (; i < count; ++i) largest = values[i] <= largest ? largest : values[i];
  return largest;
}

TRANSFORMETER_WIDE float sum_of(const float* values, std::int64_t count) {
  Lanes sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes next;
    std::memcpy(&next, values + i, sizeof(next));
    sums += next;
  }
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  for (; i < count; ++i) sum += values[i];
  return sum;
}

TRANSFORMETER_WIDE float sum_of_products(const float* first, const float* second, std::int64_t count) {
  Lanes sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes one, other;
    std::memcpy(&one, first + i, sizeof(one));
    std::memcpy(&other, second + i, sizeof(other));
    sums += one * other;
  }
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  for (; i < count; ++i) sum += first[i] * second[i];
  return sum;
}

TRANSFORMETER_WIDE void scale_and_mask(const float* from, float* values, const SoftmaxRow& row) {
  const float scale = row.scale;
  const float* const mask = row.mask;
  const std::int64_t count = row.seen;
  if (mask != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = from[i] * scale + mask[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) values[i] = from[i] * scale;
  }
}

// Values become their exponentials.
TRANSFORMETER_WIDE void exponentials(float* values, float largest, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = exponential(values[i] - largest);
}

TRANSFORMETER_WIDE void scale_and_drop(const float* values, float factor, DropoutRow dropout, float* result,
                                       std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    result[i] = values[i] * factor * dropout.factor(static_cast<std::uint32_t>(i));
  }
}

TRANSFORMETER_WIDE void scale_values(float* values, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

// Slopes by the dropped shares become those by the shares.
TRANSFORMETER_WIDE void undrop(float* slopes, DropoutRow dropout, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) slopes[i] *= dropout.factor(static_cast<std::uint32_t>(i));
}

TRANSFORMETER_WIDE void slopes_of_scores(float* slopes, const float* shares, float sum, float scale,
                                         std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) slopes[i] = (slopes[i] - sum) * shares[i] * scale;
}

// Where the row is computed: in place, or in `buffer` for a type that is not float.
template <typename T>
float* place_of(T* row, std::vector<float>& buffer) {
  if constexpr (std::is_same_v<T, float>) {
    return row;
  } else {
    return buffer.data();
  }
}

template <typename T>
void store(const float* values, T* row, std::int64_t count) {
  if constexpr (!std::is_same_v<T, float>) narrow_row(values, row, static_cast<std::size_t>(count));
}

}  // namespace

template <typename T>
SoftmaxRows<T>::SoftmaxRows(std::int64_t columns)
    : first_(buffer_size<T>(static_cast<std::size_t>(columns))), second_(first_) {}

template <typename T>
float SoftmaxRows<T>::soften(T* scores, const SoftmaxRow& row) {
  float* const values = place_of(scores, first_);
  scale_and_mask(row_as_float(scores, first_), values, row);
  const float largest = largest_of(values, row.seen);
  float log_sum = std::numeric_limits<float>::infinity();
  if (largest == -std::numeric_limits<float>::infinity()) {
    std::fill_n(values, row.seen, 0.0F);
  } else {
    exponentials(values, largest, row.seen);
    const float sum = sum_of(values, row.seen);
    if (row.dropout.dropped > 0) {
      scale_and_drop(values, 1 / sum, row.dropout, values, row.seen);
    } else {
      scale_values(values, 1 / sum, row.seen);
    }
    log_sum = largest + std::log(sum);
  }
  std::fill(values + row.seen, values + row.columns, 0.0F);
  store(values, scores, row.columns);
  return log_sum;
}

template <typename T>
void SoftmaxRows<T>::differentiate(T* scores, T* slopes, float log_sum, const SoftmaxRow& row) {
  float* const shares = place_of(scores, first_);
  float* const by_share = place_of(slopes, second_);
  row_as_float(slopes, second_);
  scale_and_mask(row_as_float(scores, first_), shares, row);
  exponentials(shares, log_sum, row.seen);
  undrop(by_share, row.dropout, row.seen);
  const float sum = sum_of_products(by_share, shares, row.seen);
  slopes_of_scores(by_share, shares, sum, row.scale, row.seen);
  scale_and_drop(shares, 1, row.dropout, shares, row.seen);
  std::fill(shares + row.seen, shares + row.columns, 0.0F);
  std::fill(by_share + row.seen, by_share + row.columns, 0.0F);
  store(shares, scores, row.columns);
  store(by_share, slopes, row.columns);
}

template class SoftmaxRows<float>;
template class SoftmaxRows<at::BFloat16>;
template class SoftmaxRows<at::Half>;

}  // namespace transformeter
