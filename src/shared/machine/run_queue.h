// How long threads that could run had no processor.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "machine/system_files.h"

namespace transformeter {

/// Of the calling process's threads that live, by their IDs: seconds that each was ready to run on no processor since
/// it began. Empty where the kernel does not count them. Some 10 us for each thread to read.
using ThreadWaits = std::map<std::string, double>;
ThreadWaits thread_waits(const SystemFiles& files = SystemFiles());

/// Of all threads together; nothing where the kernel does not count.
std::optional<double> run_queue_wait_s(const SystemFiles& files = SystemFiles());

/// The longest that any one thread waited between two looks, in seconds: what they compute together is late by as much.
double longest_wait_s(const ThreadWaits& before, const ThreadWaits& after);

}  // namespace transformeter
