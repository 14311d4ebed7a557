// How long threads that could run had no processor.
#pragma once

#include <optional>

#include "machine/system_files.h"

namespace transformeter {

/// Of the calling process's threads that live, since each began: seconds ready to run on no processor; nothing where
/// the kernel does not count them. Some 10 us for each thread to read.
std::optional<double> run_queue_wait_s(const SystemFiles& files = SystemFiles());

}  // namespace transformeter
