// Where the sources and the built programs lie. One object knows it at compile time; the tests ask, so that
// their own objects are the same in every checkout (and come from the compiler cache).
#pragma once

#include <filesystem>

namespace transformeter {

/// The root of the sources, absolute.
std::filesystem::path source_directory();
/// The build folder, absolute.
std::filesystem::path binary_directory();

}  // namespace transformeter
