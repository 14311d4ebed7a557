// Growth factor, backoff and interval are those of torch.amp.GradScaler.
#include "train/loss_scale.h"

namespace transformeter {
namespace {

constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

}  // namespace

void LossScale::update(bool is_finite) {
  if (!is_finite) {
    value_ *= kBackoff;
    good_steps_ = 0;
  } else if (++good_steps_ == kGrowthInterval) {
    value_ *= kGrowth;
    good_steps_ = 0;
  }
}

}  // namespace transformeter
