// A fine-tuning: one worker, its settings and its log kept in the output folder, so that it can go on after a break.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>

#include "base/context.h"
#include "base/json.h"
#include "schema/finetune_options.h"

namespace transformeter {

struct FineTuneJob {
  std::filesystem::path worker;
  Json settings;  // model, task, data and all else that a step of scenario train has, see schema/settings.h
  FineTuneOptions options;
  std::chrono::milliseconds worker_timeout{120'000};
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

/// Fine-tunes into options.output: finetune.json (settings and what they were read from, by absolute paths), log.jsonl
/// (an event a line), checkpoints/, best/ and summary.json. `on_event` is told each event after it is logged. Throws
/// Error(kBadInput) for an output folder that holds a training already, Error(kEnvironment) for a file that cannot be
/// written, and the worker's fault; what was written stays.
Json finetune(const Context& context, const FineTuneJob& job, const std::function<void(const Json&)>& on_event);

/// The job whose output is `folder`, to go on with: worker and time-out are the caller's to set. Throws
/// Error(kBadInput) where there is none, and for a file of its data or of its model's description that has changed
/// since, come or gone.
FineTuneJob stored_finetune(const std::filesystem::path& folder, const std::atomic<bool>* interrupt);

}  // namespace transformeter
