// Texts to answers: one worker, loaded once, asked in blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "terms/prediction.h"

namespace transformeter {

struct PredictJob {
  std::filesystem::path worker;
  Json
      settings;  // model, task, batch_size, seed and the engine's, launch's and device's settings, see terms/settings.h
  PredictionOptions options;
  std::chrono::milliseconds worker_timeout{120'000};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// Where answers go.
class PredictionSink {
 public:
  virtual ~PredictionSink() = default;
  /// Once, before the first answer: what the worker read back of model and runtime.
  virtual void begin(const Json& effective) = 0;
  /// In the order of the inputs.
  virtual void add(std::size_t index, const Prediction& prediction) = 0;
};

/// Asks as many inputs at a time as the batch has rows, so that the first answers come early and memory does not grow
/// with the inputs. `auto` is one value here: fp32, the cores there are, the worker's best device. Throws
/// Error(kBadInput) for an input that cannot be answered, once those before it are added; Error(kUnsupported) for
/// what the worker declares impossible; and the worker's own fault.
void predict(const Context& context, const PredictJob& job, const std::vector<PredictionInput>& inputs,
             PredictionSink& sink);

}  // namespace transformeter
