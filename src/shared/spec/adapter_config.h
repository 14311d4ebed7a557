// The adapter_config.json beside LoRA adapters, as Hugging Face PEFT reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/task.h"
#include "spec/lora.h"
#include "spec/model_config.h"

namespace transformeter {

/// What stands before the names of a model's own tensors in adapter_model.safetensors.
inline constexpr std::string_view kAdapterPrefix = "base_model.model.";

/// The model that adapters belong to.
struct AdapterBase {
  std::string name;      // a folder, or a model on the Hub
  std::string revision;  // of the latter; empty: none
};

/// Why PEFT cannot load adapters that have the names of the checkpoint's modules, in words for the user; nothing: it
/// can.
std::optional<std::string> why_not_for_peft(const ModelConfig& config, Task task);

/// With PEFT's task_type of the task; null for tasks that it has none for.
Json adapter_config(const LoraPlan& lora, Task task, const AdapterBase& base);

}  // namespace transformeter
