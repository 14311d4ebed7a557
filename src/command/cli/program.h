// The program as a function: arguments in, exit code out.
#pragma once

namespace transformeter {

/// 0, 1, 3 or 130 as schema/status.h says; errors go to stderr as "transformeter: MESSAGE". Never throws.
int run_program(int argc, char** argv);

}  // namespace transformeter
