// A shared library opened for a few of its C functions, none of which is needed to start this program.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace transformeter {

class LoadedLibrary {
 public:
  /// Opens `name` as the dynamic loader finds it. Nothing, and the loader's words in `why_not`, where it cannot.
  static std::optional<LoadedLibrary> open(const std::string& name, std::string& why_not);

  /// It stays for the rest of the process, as objects of it do.
  void keep_open() { handle_.release(); }

  /// The function of that name and type; null where the library has none.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  struct Close {
    void operator()(void* handle) const;
  };

  explicit LoadedLibrary(void* handle) : handle_(handle) {}
  void* symbol(const char* name) const;

  std::unique_ptr<void, Close> handle_;
};

/// What the environment variable names, else the library of that name beside this program.
std::filesystem::path library_beside_program(const char* library, const char* environment);

}  // namespace transformeter
