// Collects the outputs of selected inputs from batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <set>
#include <vector>

#include "engine/inference_engine.h"
#include "schema/outputs.h"
#include "tasks/batch_loader.h"

namespace transformeter {

/// A hash of each row's tokens and their types, padding left out. An index in the data set would not do: rows of a
/// fixed length, of synthetic texts or with a share of padding hold other tokens under the same index when the batch
/// size changes.
std::vector<std::int64_t> input_keys(const StagedBatch& batch);
/// A hash of each row's tokens and its target: one text may have several.
std::vector<std::int64_t> target_keys(const StagedBatch& batch, const TrainingBatch& targets);

/// Batches are offered in the order of the cycle; an input that comes twice is taken once, one of `excluded` never.
class OutputCollector {
 public:
  OutputCollector(const OutputRequest& request, std::set<std::int64_t> excluded);

  /// Nothing more is wanted.
  bool is_full() const { return is_full_; }
  bool wants(const std::vector<std::int64_t>& keys) const;
  /// `keys` as input_keys() gives them; `output` [B, W], or [B, T, W]: of narrow rows those of all useful tokens, of
  /// rows over a vocabulary that of the last one. Anything else with B in front is one row for each input. Throws
  /// Error(kUnsupported) where B is not in front.
  void add(const StagedBatch& batch, const std::vector<std::int64_t>& keys, const at::Tensor& output);
  /// One input of so many tokens; `rows` [n, W].
  void add_input(std::int64_t key, std::int64_t tokens, const at::Tensor& rows);

  const Outputs& outputs() const { return outputs_; }

 private:
  bool has_room(std::int64_t tokens, std::int64_t values) const;

  OutputRequest request_;
  bool takes_first_;                          // instead of named inputs
  std::set<std::int64_t> wanted_;             // named and not yet seen
  std::set<std::int64_t> taken_or_excluded_;  // of the first: taken already, or excluded
  std::int64_t tokens_ = 0;
  bool is_full_ = false;
  Outputs outputs_;
};

}  // namespace transformeter
