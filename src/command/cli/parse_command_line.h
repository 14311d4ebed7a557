// The arguments against the declarations. The only user of CLI11.
#pragma once

#include <cstddef>
#include <optional>

#include "cli/declaration.h"

namespace transformeter {

struct ParsedCommandLine {
  std::optional<std::size_t> command;  // index in the program's commands; nothing: none was named
  std::optional<Request> request;      // to print something in place of running it
};

/// Fills the declarations' targets. Throws Error(kBadInput) that names the first unexpected argument with the nearest
/// known word, an empty value, or what is missing, and the --help to read; Error(kInternal) for an option without a
/// target.
ParsedCommandLine parse_command_line(const ProgramDeclaration& program, int argc, const char* const* argv);

}  // namespace transformeter
