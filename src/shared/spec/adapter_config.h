// The adapter_config.json beside LoRA adapters, as Hugging Face PEFT reads it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "schema/task.h"
#include "spec/lora.h"

namespace transformeter {

/// What stands before the names of a model's own tensors in adapter_model.safetensors.
inline constexpr std::string_view kAdapterPrefix = "base_model.model.";

/// The model that adapters belong to.
struct AdapterBase {
  std::string name;      // a folder, or a model on the Hub
  std::string revision;  // of the latter; empty: none
};

/// With PEFT's task_type of the task; null for tasks that it has none for.
Json adapter_config(const LoraPlan& lora, Task task, const AdapterBase& base);

}  // namespace transformeter
