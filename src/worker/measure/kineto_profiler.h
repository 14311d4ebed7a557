// LibTorch's profiler around some work, on all threads.
#pragma once

#include <functional>
#include <vector>

#include "measure/span_tree.h"
#include "schema/profile.h"

namespace transformeter {

/// What ran while `work` did: operators, and the scopes of model/profile_scope.h; `on_gpu`: also kernels, which are
/// done when it returns. Writes the trace that `options` asks for. Throws what `work` throws, Error(kUnsupported) where
/// the profiler sees nothing of the GPU, and Error(kEnvironment) where the trace cannot be written. Not for two at a
/// time.
std::vector<ProfiledSpan> profile_with_kineto(const ProfileOptions& options, bool on_gpu,
                                              const std::function<void()>& work);

}  // namespace transformeter
