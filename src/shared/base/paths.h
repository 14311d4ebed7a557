// Where the running program and its bundled data lie.
#pragma once

#include <filesystem>

namespace transformeter {

/// The folder of the running executable, links resolved. Throws Error(kEnvironment) when the kernel does not say.
std::filesystem::path running_program_directory();

/// Bundled texts and vocabularies: ../share/transformeter beside the program's folder where it is installed, else the
/// source tree's share/ above a build folder's bin/. The first of them when neither is there.
std::filesystem::path bundled_data_directory(const std::filesystem::path& program_directory);

/// Where this program may keep what it can make again: $XDG_CACHE_HOME/transformeter, else ~/.cache/transformeter;
/// empty where neither variable is set.
std::filesystem::path user_cache_directory();

}  // namespace transformeter
