// Row by row, because attention grows with the square of a row's length.
#include "worker/forward_work.h"

#include <c10/core/ScalarTypeToTypeMeta.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "spec/architecture.h"
#include "spec/formulas.h"

namespace transformeter {
namespace {

std::vector<std::int64_t> row_lengths(const Batch& batch) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < batch.batch_size; ++row) {
    const auto begin = batch.attention_mask.begin() + row * batch.sequence_length;
    lengths.push_back(std::count(begin, begin + batch.sequence_length, std::uint8_t{1}));
  }
  return lengths;
}

}  // namespace

ForwardWork::ForwardWork(ModelConfig config, std::string task, c10::ScalarType type)
    : config_(std::move(config)), task_(std::move(task)) {
  if (!config_.architecture || !config_.architecture->draw) return;
  const auto count = static_cast<double>(weights_read_whole(config_, task_));
  weight_bytes_ = count * static_cast<double>(c10::elementSize(type));
}

std::vector<Series> ForwardWork::series(const std::vector<Batch>& batches) const {
  if (!weight_bytes_) return {};
  std::vector<double> useful;
  std::vector<double> processed;
  for (const Batch& batch : batches) {
    useful.push_back(forward_flops(config_, task_, row_lengths(batch)));
    processed.push_back(forward_flops(config_, task_, batch.batch_size, batch.sequence_length));
  }
  return {value_series("useful_flops", std::move(useful)), value_series("processed_flops", std::move(processed)),
          scalar_series("weight_bytes_read", *weight_bytes_)};
}

}  // namespace transformeter
