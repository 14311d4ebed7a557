// dlopen(3) with names resolved when they are used, for a newer library may lack an old function and the reverse.
#include "machine/loaded_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

namespace transformeter {

void LoadedLibrary::Close::operator()(void* handle) const {
  ::dlclose(handle);
}

std::optional<LoadedLibrary> LoadedLibrary::open(const std::string& name, std::string& why_not) {
  void* const handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = ::dlerror();
    why_not = error == nullptr ? name + " cannot be opened" : error;
    return std::nullopt;
  }
  return LoadedLibrary(handle);
}

std::filesystem::path library_beside_program(const char* library, const char* environment) {
  if (const char* named = std::getenv(environment); named != nullptr && *named != '\0') return named;
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).parent_path() / library;
}

void* LoadedLibrary::symbol(const char* name) const {
  return ::dlsym(handle_.get(), name);
}

}  // namespace transformeter
