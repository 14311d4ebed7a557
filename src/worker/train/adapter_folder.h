// Writes LoRA adapters as a folder that PeftModel.from_pretrained of Hugging Face PEFT loads.
#pragma once

#include <filesystem>
#include <vector>

#include "spec/adapter_config.h"
#include "train/named_tensor.h"

namespace transformeter {

struct TrainedAdapter {
  LoraPlan lora;
  Task task = Task::kSequenceClassification;
  std::vector<NamedTensor> weights;  // all that are trainable
  AdapterBase base;
};

/// Writes adapter_config.json and adapter_model.safetensors as `folder`, which appears whole and takes the place of an
/// older one (see AtomicFolder). Throws Error(kEnvironment) when it cannot be written; an older folder then stays.
void write_adapter_folder(const std::filesystem::path& folder, const TrainedAdapter& adapter);

}  // namespace transformeter
