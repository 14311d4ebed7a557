// Trainable weights have the names that PEFT saves, but for the prefix.
#include "train/adapter_folder.h"

#include <string>

#include "base/atomic_folder.h"
#include "base/json_file.h"
#include "train/tensor_file.h"

namespace transformeter {

void write_adapter_folder(const std::filesystem::path& folder, const TrainedAdapter& adapter) {
  std::vector<NamedTensor> tensors;
  for (const NamedTensor& weight : adapter.weights) {
    tensors.push_back({std::string(kAdapterPrefix) + weight.name, weight.value});
  }
  AtomicFolder written(folder);
  write_tensors(written.path() / "adapter_model.safetensors", tensors);
  write_json_file(written.path() / "adapter_config.json", adapter_config(adapter.lora, adapter.task, adapter.base));
  written.commit();
}

}  // namespace transformeter
