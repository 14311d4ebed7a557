// Decides which values a dropout keeps as a function of a seed and a value's index, so that no mask is stored: the
// backward pass recomputes it, and threads may process values in any order.
#pragma once

#include <cstdint>

namespace transformeter {

/// One row of values. Bits of a column are mixed as in Wellons' "Prospecting for hash functions" (two rounds of
/// multiplications and shifts), with numbers of the row before and between the rounds.
struct DropoutRow {
  std::uint32_t before = 0, between = 0;
  std::int32_t dropped = 0;  // of 2²⁴ places
  float grown = 1;           // 1 ÷ (1 − share)

  /// The factor for the value: 0 or `grown`.
  float factor(std::uint32_t column) const {
    std::uint32_t bits = column * 0x9E3779B9U ^ before;
    bits ^= bits >> 16U;
    bits *= 0x21F0AAADU;
    bits ^= bits >> 15U;
    bits ^= between;
    bits *= 0xD35A2D97U;
    bits ^= bits >> 15U;
    return static_cast<std::int32_t>(bits >> 8U) >= dropped ? grown : 0.0F;
  }
};

/// All rows of one call.
class DropoutStream {
 public:
  /// `share` of the values is dropped, in [0, 1).
  DropoutStream(std::uint64_t seed, double share);
  DropoutRow row(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::int32_t dropped_;
  float grown_;
};

/// The next seed from LibTorch's generator of the CPU, which at::manual_seed sets.
std::uint64_t next_dropout_seed();

}  // namespace transformeter
