// SplitMix64 and what is drawn from it.
#include "base/random.h"

#include <cmath>
#include <string>

#include "base/hash.h"

namespace transformeter {

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name) {
  const std::string digest = sha256_hex(std::to_string(seed) + "/" + std::string(name));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

std::uint64_t RandomStream::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Values under `threshold` would make the low results likelier than the others.
  const std::uint64_t threshold = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < threshold) value = next();
  return value % bound;
}

double RandomStream::normal() {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(kTwoPi * uniform());
}

}  // namespace transformeter
