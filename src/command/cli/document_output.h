// How commands that print a document, or write it to a file, do so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "report/document.h"

namespace transformeter {

/// As "markdown", or else as text, fitted to the terminal it is for: that of a file is Terminal{}.
std::string document_as(const std::string& format, const Document& document, const Terminal& terminal);

/// The terminal at standard output, where `output` is empty.
Terminal terminal_for(const std::filesystem::path& output);

/// To the file `output`, whole or not at all; where it is empty, to standard output.
void write_output(const std::filesystem::path& output, std::string_view text);

}  // namespace transformeter
