// Trainings of small presets, loaded as a worker loads them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "measure/step_work.h"
#include "support/source_tree.h"

namespace transformeter {

class LoadedTraining : public testing::Test {
 protected:
  static Case small_training(const std::string& model, Task task, const std::string& data) {
    Case request;
    request.model = model;
    request.task = task;
    request.scenario = Scenario::kTrain;
    request.data = data;
    request.batch_size = 2;
    request.precision = "fp32";
    request.attention = "eager";
    request.device = "cpu";
    request.batching = "padded";
    request.optimizer = "adamw";
    request.learning_rate = 1e-2;
    request.loader_threads = 0;
    return request;
  }

  Training load(const Case& request) const {
    return load_training(request, context_, parts_,
                         [this](const Training& training) { return read_rows(training, context_); });
  }

  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
};

}  // namespace transformeter
