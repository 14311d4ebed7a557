// One place decides; measuring sees a sampler.
#include "measure/batch_runner.h"

#include <algorithm>
#include <utility>

#include "measure/device_sampler.h"
#include "measure/measuring_window.h"

namespace transformeter {

void BatchRunner::take(std::vector<StagedBatch>& cycle) {
  forget_output();
  recorded_.clear();
  transfers_.clear();
  cycle_ = &cycle;
  if (!case_.request.transfers) return;
  for (StagedBatch& batch : cycle) transfers_.emplace_back(batch, *case_.device);
}

void BatchRunner::settle() {
  if (case_.request.graphs) {
    for (const StagedBatch& batch : *cycle_) recorded_.emplace_back(*case_.engine, batch, *case_.device);
  }
  for (std::size_t index = 0; index < transfers_.size(); ++index) launch_whole(index);
  case_.device->synchronize();
}

void BatchRunner::launch_whole(std::size_t index) {
  if (!transfers_.empty()) transfers_[index].upload();
  launch(index);
  if (!transfers_.empty()) transfers_[index].download(output_);
}

void BatchRunner::launch(std::size_t index) {
  output_ = recorded_.empty() ? case_.engine->launch((*cycle_)[index]) : recorded_[index].launch();
}

std::vector<WorkSize> BatchRunner::sizes() const {
  std::vector<WorkSize> sizes;
  for (const StagedBatch& batch : *cycle_) {
    sizes.push_back({batch.examples, batch.useful_tokens, batch.processed_tokens});
  }
  return sizes;
}

std::unique_ptr<UnitSampler> BatchRunner::make_sampler() {
  const auto forward = [this](std::size_t index) { launch(index); };
  if (!is_asynchronous()) {
    auto sampler = std::make_unique<Sampler>(clock_, forward, sizes());
    count_cpu_time(*sampler, *case_.device, clock_);
    return sampler;
  }
  DeviceWork work{{}, forward, {}};
  if (!transfers_.empty()) {
    work.upload = [this](std::size_t index) { transfers_[index].upload(); };
    work.download = [this](std::size_t index) { transfers_[index].download(output_); };
  }
  return std::make_unique<DeviceSampler>(clock_, *case_.device, std::move(work), sizes());
}

std::unique_ptr<UnitSampler> BatchRunner::make_null_sampler() const {
  const auto nothing = [](std::size_t) {};
  if (!is_asynchronous()) return std::make_unique<Sampler>(clock_, nothing, std::vector{WorkSize{}});
  DeviceWork work{{}, nothing, {}};
  if (!transfers_.empty()) work.upload = work.download = nothing;
  return std::make_unique<DeviceSampler>(clock_, *case_.device, std::move(work), std::vector{WorkSize{}});
}

Json BatchRunner::effective() const {
  Json effective = {{"graphs", recorded_.empty() ? "off" : "on"}, {"transfers", transfers_.empty() ? "off" : "on"}};
  if (!recorded_.empty()) {
    double largest = 0;
    for (const RecordedBatch& batch : recorded_) largest = std::max(largest, batch.difference());
    effective["graph_difference"] = largest;
  }
  return effective;
}

}  // namespace transformeter
