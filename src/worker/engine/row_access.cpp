// Loops that the compiler vectorises for the processor at hand; in the templates of a header they would be compiled for
// the oldest.
#include "engine/row_access.h"

#include <bit>
#include <cstdint>

namespace transformeter {

TRANSFORMETER_WIDE void widen_row(const c10::BFloat16* row, float* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = std::bit_cast<float>(static_cast<std::uint32_t>(row[i].x) << 16U);
  }
}

TRANSFORMETER_WIDE void widen_row(const c10::Half* row, float* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(row[i]);
}

TRANSFORMETER_WIDE void narrow_row(const float* row, c10::BFloat16* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) result[i].x = bf16_bits(row[i]);
}

TRANSFORMETER_WIDE void narrow_row(const float* row, c10::Half* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<c10::Half>(row[i]);
}

}  // namespace transformeter
