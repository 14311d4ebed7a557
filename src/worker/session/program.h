// A worker as a program: what main() calls.
#pragma once

#include <string_view>

#include "measure/parts.h"

namespace transformeter {

/// Reads the command line, serves one session and ends the process; the exit code is 3 for a wrong command line.
/// `name` stands in --help and --version.
[[noreturn]] void run_worker(int argc, char** argv, const WorkerParts& parts, std::string_view name);

}  // namespace transformeter
