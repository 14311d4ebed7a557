// A command line of this program, run by the program itself.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"

namespace transformeter {

/// `arguments` begin with the command's name. Returns its exit code. Throws Error, as Command::run and
/// parse_command_line do.
int run_subcommand(const Context& context, const std::vector<std::string>& arguments,
                   const std::atomic<bool>& interrupt);

/// 1, 3 or 130, as schema/status.h says.
int exit_code_of(const Error& error);

}  // namespace transformeter
