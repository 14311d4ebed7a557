// Which files of a repository are wanted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hub/hub_answers.h"

namespace transformeter {

/// Shell patterns; '*' takes slashes too, and "folder/" means all that is in it, as huggingface_hub has it.
struct Patterns {
  std::vector<std::string> include;  // none: what the caller would take by itself
  std::vector<std::string> exclude;
};

bool matches_any(const std::vector<std::string>& patterns, const std::string& path);

/// What tells a model's shards by tensor.
inline constexpr const char* kShardIndex = "model.safetensors.index.json";

/// A file that may hold a Python pickle, by its name: loading one runs code of whoever wrote it.
bool is_pickle(std::string_view path);
/// "a pickle can run any code when it is loaded; ...", to be said where one is refused.
std::string_view pickle_reason();

/// config.json, generation_config.json, and files of the tokenizer, its chat template, the preprocessor, and of what
/// sentence-transformers makes of the model.
bool is_model_description(std::string_view path);
/// Of those the ones that hold a tokenizer's vocabulary: one of them is enough.
bool is_vocabulary(std::string_view path);

/// The weights of a model in safetensors: model.safetensors, else the shards of its index, else every *.safetensors
/// that lies in no folder. `shards`: what the index lists; empty without one. Throws Error(kBadInput) for a shard that
/// `files` lacks.
std::vector<RepositoryFile> weight_files(const std::vector<RepositoryFile>& files,
                                         const std::vector<std::string>& shards);

}  // namespace transformeter
