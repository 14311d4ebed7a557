// The parts of a worker: its model families and, for families that do not use a checkpoint's files, their tokenizers.
// Custom workers add to these.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "model/registry.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

struct WorkerParts {
  /// Given a checkpoint's folder, or an empty path for a preset.
  using TokenizerFactory = std::function<std::unique_ptr<Tokenizer>(const std::filesystem::path& folder)>;

  ModelRegistry models;
  std::map<std::string, TokenizerFactory> tokenizers;  // by family
};

/// The built-in families.
WorkerParts builtin_parts();

}  // namespace transformeter
