// Where a model's tokenizer lies, for commands that need no weights.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "base/context.h"

namespace transformeter {

/// Throws Error(kBadInput) for a preset or folder of a model that reads images.
void check_reads_texts(const std::string& model);

/// The folder or file for load_tokenizer: of a preset the bundled vocabulary, a path as it is, of a model on the Hub
/// what the cache has, fetched if missing. Throws as check_reads_texts, Error(kBadInput) with the nearest preset for
/// another name, and as resolve_hub_model.
std::filesystem::path find_tokenizer(const std::string& model, const Context& context,
                                     const std::atomic<bool>& interrupt);

}  // namespace transformeter
