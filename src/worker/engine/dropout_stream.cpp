// Seeds of rows are far apart by the finalizer of SplitMix64.
#include "engine/dropout_stream.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <mutex>

namespace transformeter {
namespace {

constexpr double kPlaces = 1 << 24;

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31U);
}

}  // namespace

DropoutStream::DropoutStream(std::uint64_t seed, double share)
    : seed_(seed),
      dropped_(static_cast<std::int32_t>(std::lround(share * kPlaces))),
      grown_(static_cast<float>(1 / (1 - share))) {}

DropoutRow DropoutStream::row(std::uint64_t index) const {
  const std::uint64_t bits = mixed(seed_ + (index + 1) * 0x9E3779B97F4A7C15ULL);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U), dropped_, grown_};
}

std::uint64_t next_dropout_seed() {
  const at::Generator& generator = at::detail::getDefaultCPUGenerator();
  auto* const numbers = at::check_generator<at::CPUGeneratorImpl>(generator);
  const std::lock_guard<std::mutex> lock(numbers->mutex_);
  return numbers->random64();
}

}  // namespace transformeter
