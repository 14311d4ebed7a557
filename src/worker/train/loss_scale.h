// Dynamic loss scaling, which keeps fp16 gradients from underflowing.
#pragma once

#include <cstdint>

namespace transformeter {

/// As torch.amp.GradScaler with its defaults: begins at 65536, halves after a step whose gradients are not finite, and
/// doubles after 2000 steps in a row that were.
class LossScale {
 public:
  LossScale() = default;
  /// As it was.
  LossScale(double value, std::int64_t good_steps) : value_(value), good_steps_(good_steps) {}

  double value() const { return value_; }
  /// In a row, since it last changed.
  std::int64_t good_steps() const { return good_steps_; }
  void update(bool is_finite);

 private:
  double value_ = 65536;
  std::int64_t good_steps_ = 0;
};

}  // namespace transformeter
