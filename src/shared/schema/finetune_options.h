// How a fine-tuning goes on, scores itself and ends: what is not a setting of a single step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace transformeter {

struct FineTuneOptions {
  std::string output;                 // a folder: checkpoints/, best/
  double epochs = 3;                  // above 0
  std::optional<std::int64_t> steps;  // in place of epochs
  std::string schedule = "linear";    // of the learning rate: "constant", "linear" or "cosine"
  std::int64_t warmup_steps = 0;
  std::optional<double> warmup_ratio;  // of all steps, in place of warmup_steps
  std::string evaluation_data;         // a file; empty: see evaluation_share
  std::string evaluation_split;        // of an evaluation_data with several
  double evaluation_share = 0;         // of the examples, or a data set's groups, that are scored in place of learnt
  std::optional<std::int64_t> evaluation_steps;  // between scores; nothing: an epoch
  std::optional<std::int64_t> checkpoint_steps;  // between checkpoints, besides those at scores
  std::optional<double> checkpoint_minutes = 5;  // likewise, by time; nothing: not by time
  std::int64_t kept_checkpoints = 2;
  std::optional<std::int64_t> patience;  // scores in a row that are no better, after which it ends; nothing: it goes on
  bool merges_adapter = false;           // best/ is the whole model, to which LoRA adapters are added
  std::string base_model;                // that adapter_config.json names; empty: no adapters
  std::string base_revision;             // of one on the Hub
  bool resumes = false;                  // from the newest checkpoint in `output`
};

Json to_json(const FineTuneOptions& options);
/// Throws Json::exception for what to_json never writes.
FineTuneOptions finetune_options_from_json(const Json& json);

}  // namespace transformeter
