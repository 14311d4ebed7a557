// Whether attention of a training multiplies 16-bit values as they are, or in fp32, by whichever is faster here.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "model/operators.h"
#include "schema/attention_choice.h"

namespace transformeter {

/// Of one training. The first call for 16-bit inputs of each kind computes dropped_attention and its gradients both
/// ways a few times, unseen by a KernelProbe and without drawing what is dropped.
class TriedWidening {
 public:
  /// Of inputs that has_dropped_attention.
  bool widens(const AttentionInputs& inputs) const;
  /// Of each kind until now; kernels are "fused_dropout" and "fused_widened".
  std::vector<AttentionChoice> choices() const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<AttentionKind, AttentionChoice> choices_;
};

}  // namespace transformeter
