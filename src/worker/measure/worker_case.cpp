// Typed by the table of settings; here is what a worker cannot do without.
#include "measure/worker_case.h"

#include <fmt/format.h>

#include <initializer_list>

#include "base/error.h"

namespace transformeter {
namespace {

void require(const Json& settings, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!settings.contains(name)) {
      throw Error(ErrorKind::kProtocol, fmt::format("the case's settings are malformed: no '{}'", name));
    }
  }
}

void require_steps(const Json& settings) {
  require(settings, {"optimizer", "learning_rate", "gradient_accumulation", "gradient_checkpointing", "weight_decay",
                     "max_gradient_norm", "label_smoothing", "dropout", "loader_threads"});
}

}  // namespace

Case worker_case_from(const Json& settings) {
  require(settings, {"model", "task", "seed", "precision", "attention", "device"});
  Case result = case_from(settings);
  if (result.is_generate()) {
    require(settings, {"prompt_length", "new_tokens"});
  } else {
    require(settings, {"batch_size"});
    if (result.has_data() && modality_of(result.task) == Modality::kText) require(settings, {"sequence_length"});
    if (result.data == kSyntheticData && reads_audio(result.task)) require(settings, {"audio_seconds"});
  }
  if (result.has_data()) require(settings, {"limit"});
  if (result.is_train() || result.is_finetune()) require_steps(settings);
  // A case of an earlier version, which had no such setting, goes on as it began.
  if (!settings.contains("head_tokens")) result.needed_tokens = result.fused;
  return result;
}

}  // namespace transformeter
