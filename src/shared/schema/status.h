// The possible results of a case, and the exit code of a run.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace transformeter {

enum class Status {
  kOk,
  kOutOfMemory,         // an allocation failed under the case's limit
  kImpliedOutOfMemory,  // a smaller case of the same shape already ran out of memory
  kUnsupportedShape,    // beyond what the model can hold
  kUnsupported,         // a combination the engine declares impossible here
  kTimeout,
  kCrashed,  // the worker died by a signal or unexpectedly
  kFailed,   // the worker reported an error
  kInterrupted,
};

std::string_view name_of(Status status);
/// Throws Error(kBadInput) for an unknown name.
Status status_from_name(std::string_view name);
/// Of a case that ended with such an error.
Status status_of(ErrorKind kind);
/// The other way round; nothing for a status that no kind of error gives alone.
std::optional<ErrorKind> kind_of(Status status);
/// The first five are answers to the question asked; the others are faults.
bool is_answer(Status status);

enum ExitCode : int { kExitOk = 0, kExitFault = 1, kExitUndecided = 2, kExitBadInput = 3, kExitInterrupted = 130 };

/// 130 when any was interrupted; 1 when any is a fault or none is ok; with `strict` 1 when any is not ok; else 0.
int exit_code(const std::vector<Status>& statuses, bool strict);

}  // namespace transformeter
