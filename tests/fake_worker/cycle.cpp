// Sizes follow a plain rule, so that a test can work them out by hand.
#include "fake_worker/cycle.h"

#include "schema/scenario.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

// Text j of a batch of length T holds T - (j mod 4)·T/8 tokens: a batch of one is never padded.
FakeBatch batch_of(std::int64_t examples, std::int64_t length) {
  FakeBatch batch;
  batch.examples = examples;
  batch.processed_tokens = examples * length;
  for (std::int64_t j = 0; j < examples; ++j) batch.useful_tokens += length - (j % 4) * length / 8;
  return batch;
}

FakeBatch all_of(const std::vector<FakeBatch>& cycle) {
  FakeBatch all;
  for (const FakeBatch& batch : cycle) {
    all.examples += batch.examples;
    all.useful_tokens += batch.useful_tokens;
    all.processed_tokens += batch.processed_tokens;
  }
  return all;
}

}  // namespace

std::vector<FakeBatch> fake_cycle(const Json& settings, std::int64_t natural_batches) {
  if (is_generate(settings)) return {batch_of(1, settings.at("prompt_length").get<std::int64_t>())};
  const auto size = settings.find("batch_size");
  const std::int64_t examples = size != settings.end() && size->is_number() ? size->get<std::int64_t>() : 1;
  const auto length = settings.find("sequence_length");
  if (length != settings.end() && length->is_number()) return {batch_of(examples, length->get<std::int64_t>())};
  std::vector<FakeBatch> cycle;
  for (std::int64_t k = 0; k < natural_batches; ++k) cycle.push_back(batch_of(examples, 16 + 8 * k));
  if (scenario_of(settings) == Scenario::kOffline) return {all_of(cycle)};
  return cycle;
}

std::vector<double> relative_sizes(const std::vector<FakeBatch>& cycle) {
  double sum = 0;
  for (const FakeBatch& batch : cycle) sum += static_cast<double>(batch.processed_tokens);
  std::vector<double> sizes;
  for (const FakeBatch& batch : cycle) {
    sizes.push_back(static_cast<double>(batch.processed_tokens) * static_cast<double>(cycle.size()) / sum);
  }
  return sizes;
}

}  // namespace transformeter
