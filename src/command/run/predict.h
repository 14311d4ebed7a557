// Predicts answers for texts, in blocks, with one worker that loads the model once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "schema/prediction.h"

namespace transformeter {

struct PredictJob {
  std::filesystem::path worker;
  Json settings;  // model, task, batch_size, seed and the engine's, launch's and device's settings, see
                  // schema/settings.h
  PredictionOptions options;
  std::chrono::milliseconds worker_timeout{120'000};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// Where answers go.
class PredictionSink {
 public:
  virtual ~PredictionSink() = default;
  /// Called once, before the first answer, with what the worker reports about model and runtime.
  virtual void begin(const Json& effective) = 0;
  /// In the order of the inputs.
  virtual void add(std::size_t index, const Prediction& prediction) = 0;
};

/// Sends one batch of inputs at a time, so that the first answers come early and memory does not grow with the number
/// of inputs. `auto` has a single meaning here: fp32, all cores, the worker's best device. Throws Error(kBadInput) for
/// an input that cannot be answered, once those before it are added; Error(kUnsupported) for what the worker declares
/// impossible; and the worker's own fault.
void predict(const Context& context, const PredictJob& job, const std::vector<PredictionInput>& inputs,
             PredictionSink& sink);

}  // namespace transformeter
