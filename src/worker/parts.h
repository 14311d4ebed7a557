// What a worker is made of: the families it can run and, where a family does not use a checkpoint's files, its
// tokenizer. A worker of one's own adds to these.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "model/registry.h"
#include "text/tokenizer.h"

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
