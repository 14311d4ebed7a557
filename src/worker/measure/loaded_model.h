// A loaded model with its engine and tokenizer, the starting point of both measuring and predicting.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "datasets/dataset.h"
#include "device/device.h"
#include "engine/inference_engine.h"
#include "engine/linear_factories.h"
#include "measure/parts.h"
#include "measure/worker_case.h"
#include "model/parameters.h"
#include "spec/model_config.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// What a case says of the classes that its model tells apart.
struct ModelClasses {
  std::int64_t count = 0;          // of a preset's classifier; 0: the preset's own
  std::vector<std::string> names;  // of zero-shot classification; else empty
};

/// Those of the case's data. Throws as zero_shot_classes.
ModelClasses model_classes(const Case& request, const DataSet& data);

struct LoadedModel {
  ModelConfig config;
  std::shared_ptr<Parameters> parameters;  // keeps the mapped weights that the engine's tensors borrow, and no other
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;  // as they run
  LinearForm linear_form;         // of most products with weights
  bool trained = false;           // from a checkpoint, not seeded
  bool is_quantized = false;      // a file that holds weights in 8 bits or fewer
  std::unique_ptr<InferenceEngine> engine;
  /// Of a model whose products must see inputs before they run as asked; null: it runs.
  std::shared_ptr<const ObservingLinears> observing;
};

/// How the case's products are made.
LinearOptions linear_options(const Case& request);

/// The configuration with which load_model would build, without weights. Throws as load_model.
ModelConfig model_config_of(const Case& request, const WorkerParts& parts, const ModelClasses& classes);

/// The engine borrows `device`. Throws Error: kBadInput for files, kUnsupported for what cannot run, kOutOfMemory.
LoadedModel load_model(const Case& request, const Context& context, const WorkerParts& parts,
                       const ModelClasses& classes, Device& device);

/// Of a case whose engine is another library's: the model once more, for Model::node_counters. Throws as load_model.
LoadedModel load_counted_model(const Case& request, const WorkerParts& parts, const ModelClasses& classes,
                               Device& device);

/// The family's own tokenizer where it brings one, else the checkpoint's, or the bundled vocabulary for a preset, which
/// is not `trained`. Throws Error(kBadInput), also when it has ids that the model lacks.
std::unique_ptr<Tokenizer> load_model_tokenizer(const Case& request, const WorkerParts& parts,
                                                const ModelConfig& config, bool trained, const Context& context);

/// What was read back of model, runtime and limits. `tokenizer`: null for a model that reads no texts.
Json effective_settings(const Case& request, const LoadedModel& model, const Tokenizer* tokenizer);

}  // namespace transformeter
