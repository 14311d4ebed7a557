// Copies that do not wait, which page-locked memory allows.
#include "engine/batch_transfers.h"

#include <c10/core/InferenceMode.h>

namespace transformeter {

BatchTransfers::BatchTransfers(StagedBatch& batch, Device& device) : device_(device) {
  const c10::InferenceMode guard;
  visit_inputs(batch, [&](at::Tensor& tensor) {
    at::Tensor host = device_.host_memory(tensor);
    host.copy_(tensor);
    inputs_.emplace_back(std::move(host), tensor);
  });
}

void BatchTransfers::upload() const {
  const c10::InferenceMode guard;
  for (const auto& [host, device] : inputs_) device.copy_(host, /*non_blocking=*/true);
}

void BatchTransfers::download(const at::Tensor& output) {
  const c10::InferenceMode guard;
  const bool fits = result_.defined() && result_.sizes() == output.sizes() && result_.dtype() == output.dtype();
  if (!fits) result_ = device_.host_memory(output);
  result_.copy_(output, /*non_blocking=*/true);
}

}  // namespace transformeter
