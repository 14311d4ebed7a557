// Row by row, because attention grows with the square of a row's length.
#include "measure/forward_work.h"

#include <algorithm>
#include <utility>

#include "device/runtime.h"
#include "spec/architecture.h"
#include "spec/formulas.h"

namespace transformeter {
namespace {

std::vector<std::int64_t> padded(const Batch& batch) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(batch.batch_size), batch.sequence_length);
}

}  // namespace

ForwardWork::ForwardWork(ModelConfig config, const Case& request)
    : config_(std::move(config)),
      task_(request.task),
      is_packed_(request.batching == "packed"),
      leaves_out_tokens_(request.needed_tokens) {
  if (!config_.architecture || !config_.architecture->draw) return;
  const auto count = static_cast<double>(weights_read_whole(config_, task_));
  weight_bytes_ = count * static_cast<double>(weight_element_bytes(request.precision));
}

std::optional<double> ForwardWork::useful_flops(const std::vector<Batch>& batches) const {
  if (!weight_bytes_) return std::nullopt;
  double sum = 0;
  for (const Batch& batch : batches) sum += forward_flops(config_, task_, row_lengths(batch));
  return sum;
}

std::vector<Series> ForwardWork::series(const std::vector<Batch>& batches) const {
  if (!weight_bytes_) return {};
  std::vector<double> useful;
  std::vector<double> processed;
  std::vector<double> whole;
  for (const Batch& batch : batches) {
    const std::vector<std::int64_t> lengths = row_lengths(batch);
    useful.push_back(forward_flops(config_, task_, lengths));
    const std::vector<std::int64_t> run = is_packed_ ? lengths : padded(batch);
    const double unneeded = leaves_out_tokens_ ? unneeded_flops(config_, task_, run) : 0;
    processed.push_back(forward_flops(config_, task_, run) - unneeded);
    whole.push_back(forward_flops(config_, task_, padded(batch)));
  }
  return {value_series("useful_flops", std::move(useful)), value_series("processed_flops", std::move(processed)),
          value_series("padded_flops", std::move(whole)), scalar_series("weight_bytes_read", *weight_bytes_)};
}

}  // namespace transformeter
