// Completion scripts for shells, from the declarations of the command line.
#pragma once

#include <string>

#include "cli/declaration.h"

namespace transformeter {

// Each offers subcommands, options and the values of options: words, comma lists of them, files and folders. The
// scripts need nothing of this program when they run.

/// For bash 4 and later, without the package bash-completion.
std::string bash_completion(const ProgramDeclaration& program);
/// For a file _transformeter in zsh's fpath, or to be sourced after compinit.
std::string zsh_completion(const ProgramDeclaration& program);
/// For fish 3.
std::string fish_completion(const ProgramDeclaration& program);

/// Text in single quotes for bash and zsh.
std::string shell_quoted(const std::string& text);

}  // namespace transformeter
