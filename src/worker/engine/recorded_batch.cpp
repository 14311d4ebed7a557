// The plain pass comes first: libraries set up their workspaces in it, which a recording must not do.
#include "engine/recorded_batch.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {
namespace {

// Of the largest output. The kernels are the same, but a library may choose another algorithm while it is recorded.
double allowed_difference(c10::ScalarType type) {
  return type == c10::ScalarType::Float ? 1e-4 : 2e-2;
}

double relative_difference(const at::Tensor& plain, const at::Tensor& replayed) {
  const at::Tensor expected = plain.to(at::kFloat);
  const double largest = expected.abs().max().item<double>();
  const double difference = (replayed.to(at::kFloat) - expected).abs().max().item<double>();
  return difference == 0 ? 0 : difference / largest;
}

}  // namespace

RecordedBatch::RecordedBatch(const InferenceEngine& engine, const StagedBatch& batch, Device& device) {
  const c10::InferenceMode guard;
  const at::Tensor plain = engine.forward(batch);
  work_ = device.record([&] { output_ = engine.launch(batch); });
  work_->replay();
  device.synchronize();
  difference_ = relative_difference(plain, output_);
  const double allowed = allowed_difference(plain.scalar_type());
  if (!(difference_ <= allowed)) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("graphs on: outputs of the replayed graph differ by {:.2g} of the largest output (allowed {:.2g})",
                    difference_, allowed));
  }
}

const at::Tensor& RecordedBatch::launch() {
  work_->replay();
  return output_;
}

}  // namespace transformeter
