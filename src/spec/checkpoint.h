// A model folder on disk: its configuration, its mapped weights, and which tensor of the file serves which parameter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "spec/model_config.h"
#include "spec/safetensors.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

/// Owns the mapping; `entries` are offsets into weights.bytes().
struct Checkpoint {
  std::filesystem::path folder;
  std::filesystem::path weights_file;
  ModelConfig config;
  MappedFile weights;
  SafetensorsEntries entries;
};

/// Opens config.json and model.safetensors in `folder`, or the only *.safetensors file there. Throws Error(kBadInput)
/// naming the path for what is missing or broken, and Error(kUnsupported) for a sharded checkpoint or one that has only
/// pickled (*.bin) weights.
Checkpoint open_checkpoint(const std::filesystem::path& folder);

/// Throws Error(kBadInput) when the checkpoint was saved for a task whose head has the same tensors but another meaning
/// (a sequence classifier opened as a token classifier), which match_checkpoint cannot see.
void check_task(const Checkpoint& checkpoint, std::string_view task);

struct MatchedTensor {
  TensorSpec parameter;
  std::string file_name;  // the tensor's name in the file
  SafetensorsEntry entry;
};

struct CheckpointMatch {
  std::vector<MatchedTensor> tensors;  // one for each parameter, in the inventory's order
  std::vector<std::string> ignored;    // names in the file that no parameter needs, all known to be harmless
};

/// Finds each parameter in the file: under its own name, without the prefix of the base model ("encoder.layer.0…" of a
/// checkpoint saved from BertModel), under its tied name, or with the older LayerNorm.gamma and .beta. Tensors left
/// over are ignored when they are stored position or token type ids, a second copy of a tied tensor, or the head of
/// another task (pooler, cls, classifier, pre_classifier, qa_outputs, vocab_*): a head that is needed and absent is an
/// error, so nothing is lost by ignoring one that is not needed. Throws Error(kBadInput), naming `what`, the tensor,
/// the expected and found shape and the nearest name, for a missing, surplus or misshapen tensor, and for a dtype other
/// than F64, F32, F16 and BF16.
CheckpointMatch match_checkpoint(const std::vector<TensorSpec>& inventory, const SafetensorsEntries& entries,
                                 std::string_view what);

}  // namespace transformeter
