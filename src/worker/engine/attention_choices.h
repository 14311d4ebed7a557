// Kernels of attention that trials choose, for each kind of inputs.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/kernel_trial.h"
#include "model/operators.h"
#include "schema/attention_choice.h"

namespace transformeter {

/// Of one model. Several threads may ask.
class AttentionChoices {
 public:
  using Candidates = std::function<std::vector<KernelCandidate>()>;

  /// The name of the fastest of `candidates`, which are asked for and tried on the first inputs of their kind, unseen
  /// by a KernelProbe. The first candidate is right by definition, and wins where another is hardly faster.
  const std::string& kernel_for(const AttentionInputs& inputs, const Candidates& candidates);
  /// Of each kind until now.
  std::vector<AttentionChoice> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<AttentionKind, AttentionChoice> choices_;
};

}  // namespace transformeter
