// Seeded random streams that give the same values on every platform (the standard distributions do not).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transformeter {

/// The seed of the independent stream `name` of a run's seed: the first 8 bytes of SHA-256 of both.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view name);

/// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit state, passes BigCrush, enough for draws and shuffles.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  RandomStream(std::uint64_t seed, std::string_view name) : state_(derive_seed(seed, name)) {}

  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in [0, bound) without modulo bias, by rejection; bound ≥ 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller, one of the pair).
  double normal();

 private:
  std::uint64_t state_;
};

/// Fisher-Yates.
template <typename T>
void shuffle(std::vector<T>& values, RandomStream& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace transformeter
