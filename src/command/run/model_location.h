// Where the files of a model that a user named are.
#pragma once

#include <optional>
#include <string>

#include "hub/resolve_model.h"

namespace transformeter {

struct ModelLocation {
  std::string path;                      // what a worker opens: a preset's name, or a folder
  std::optional<ModelReference> pinned;  // of a model in the hub's cache, its revision a commit
};

/// A preset and a folder stay as they are; "org/name@COMMIT" is its snapshot in the cache. Throws Error(kBadInput) for
/// a model of the hub that is not in the cache, saying how to get it. What is none of these stays as it is, too.
ModelLocation locate_model(const std::string& model);

}  // namespace transformeter
