// The programs that measuring and reporting need: the worker, what it can be started with, gnuplot, the libraries of
// this build.
#pragma once

#include <atomic>
#include <string>

#include "base/context.h"
#include "doctor/check.h"
#include "run/launch_host.h"
#include "schema/messages.h"

namespace transformeter {

/// Starts the worker that `run` would take (`setting` as --worker, may be empty) and asks what it can do. A worker that
/// is missing, dies or stays silent for a minute is a problem, with what it said. Throws Error(kInterrupted) alone.
Checks check_worker(const Context& context, const std::string& setting, const std::atomic<bool>& interrupt);

/// What a worker's answer means; `path` is the worker's.
Checks check_description(const std::string& path, const Described& described);

/// What there is to choose from for the launch settings: allocators, huge pages, NUMA nodes.
Checks check_launch(const LaunchHost& host);

/// gnuplot and the programs that some formats of reports need, in the folders of `search_path` (as the variable PATH),
/// and what this program was built with.
Checks check_libraries(const std::string& search_path);

}  // namespace transformeter
