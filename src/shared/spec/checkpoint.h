// A model folder on disk: its configuration, its mapped weights, and which tensor of the files serves which parameter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "spec/architecture.h"
#include "spec/safetensors.h"
#include "spec/tensor_inventory.h"

namespace transformeter {

struct WeightsFile {
  std::filesystem::path path;
  MappedFile mapping;
};

struct Checkpoint {
  std::filesystem::path folder;
  ModelConfig config;
  std::vector<WeightsFile> files;  // one, or the shards in the order of their names; then that of a Dense module
  SafetensorsEntries entries;      // of all files
};

/// Opens config.json and the weights in `folder`: model.safetensors, the shards that model.safetensors.index.json
/// names, or the only *.safetensors file there. Throws Error(kBadInput) naming the path for what is missing or broken
/// (a shard that is not there, a tensor that the index puts elsewhere), and Error(kUnsupported) for a checkpoint that
/// has only pickled (*.bin) weights.
Checkpoint open_checkpoint(const std::filesystem::path& folder,
                           const Architectures& architectures = builtin_architectures());

/// Throws Error(kBadInput) when `task` needs a decoder whose first token is wrong, in config.json or
/// generation_config.json, or in neither.
void check_decoder_start(const Checkpoint& checkpoint, Task task);

/// Throws Error(kBadInput) when the checkpoint was saved for a task whose head has the same tensors but another meaning
/// (a sequence classifier opened as a token classifier), which match_checkpoint cannot see, and as check_decoder_start;
/// Error(kUnsupported) for the task embedding where modules of sentence-transformers are not computed here.
void check_task(const Checkpoint& checkpoint, Task task);

/// Whether the files hold a decoder of words beside the table of words, with other numbers, though config.json ties the
/// two. open_checkpoint asks.
bool has_own_decoder(const Checkpoint& checkpoint);

struct MatchedTensor {
  TensorSpec parameter;
  std::string file_name;  // the tensor's name in the file
  SafetensorsEntry entry;
};

struct CheckpointMatch {
  std::vector<MatchedTensor> tensors;  // one for each parameter, in the inventory's order
  std::vector<std::string> ignored;    // names in the file that no parameter needs, all known to be harmless
};

/// Finds each parameter of `task` in the files: under its own name, with another of the family's base prefixes or
/// without one ("encoder.layer.0…" of a checkpoint saved from BertModel), under its tied name, or with the older
/// LayerNorm.gamma and .beta. Tensors left over are ignored when they are a second copy of a tied tensor or what the
/// family lists as harmless: stored positions, the heads of other tasks. A head that is needed and absent is an error,
/// so nothing is lost by ignoring one that is not needed. Throws Error(kBadInput), naming `what`, the tensor, the
/// expected and found shape and the nearest name, for a missing, surplus or misshapen tensor, and for a dtype other
/// than F64, F32, F16 and BF16; Error(kUnsupported) when the whole head of the task is absent.
CheckpointMatch match_checkpoint(const ModelConfig& config, Task task, const SafetensorsEntries& entries,
                                 std::string_view what);
/// Of an opened checkpoint.
CheckpointMatch match_checkpoint(const Checkpoint& checkpoint, Task task);

/// What a training begins with: the checkpoint's tensors, and those of the task's head that it lacks.
struct TrainingMatch {
  ModelConfig config;  // the checkpoint's, with the classes that were asked for
  CheckpointMatch match;
  std::vector<TensorSpec> added;  // to be drawn at random; empty: the checkpoint has the whole head
};

/// Like match_checkpoint, but a head need not be there: of an encoder its pooler and classifier, of a masked language
/// model its classifier. `num_labels` asks for that many classes: where the checkpoint has another count, its
/// classifier is not used and its label names are dropped; so is the classifier of a checkpoint that was saved for the
/// other kind of classification, and where its classes have other names than `names`, in their order. A head of which
/// only the last layer is there, or half a layer, is still an error: something was lost. Throws what
/// check_decoder_start throws, and what match_checkpoint throws otherwise.
TrainingMatch match_for_training(const Checkpoint& checkpoint, Task task, std::optional<std::int64_t> num_labels,
                                 const std::vector<std::string>& names = {});

}  // namespace transformeter
