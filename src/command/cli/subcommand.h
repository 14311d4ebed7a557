// A command line of this program, run by the program itself.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/context.h"

namespace transformeter {

/// `arguments` begin with the command's name. Returns its exit code. Throws Error, as Command::run and
/// parse_command_line do.
int run_subcommand(const Context& context, const std::vector<std::string>& arguments,
                   const std::atomic<bool>& interrupt);

}  // namespace transformeter
