// The built-in families need no tokenizers of their own.
#include "measure/parts.h"

namespace transformeter {

WorkerParts builtin_parts() {
  WorkerParts parts;
  register_builtin_models(parts.models);
  return parts;
}

}  // namespace transformeter
