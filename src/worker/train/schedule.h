// The learning rate over the steps of a training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformeter {

struct Schedule {
  std::string kind = "constant";  // one of schedule_kinds()
  double learning_rate = 0;       // the highest
  std::int64_t warmup_steps = 0;  // over which it rises from 0, linearly
  std::int64_t steps = 0;         // of the whole training: where linear and cosine end at 0
};

/// "constant", "linear", "cosine".
const std::vector<std::string>& schedule_kinds();

/// Of step 0, 1, ...: as get_constant_schedule_with_warmup, get_linear_schedule_with_warmup and
/// get_cosine_schedule_with_warmup of Transformers. Throws Error(kBadInput) for another kind.
double learning_rate_at(const Schedule& schedule, std::int64_t step);

}  // namespace transformeter
