// The loader tells its search path by dlinfo(3).
#include "machine/shared_library.h"

#include <dlfcn.h>

#include <cstddef>
#include <memory>
#include <new>
#include <system_error>

namespace transformeter {
namespace {

struct Close {
  void operator()(void* handle) const { ::dlclose(handle); }
};

}  // namespace

std::vector<std::filesystem::path> loader_folders() {
  std::vector<std::filesystem::path> folders;
  const std::unique_ptr<void, Close> program(::dlopen(nullptr, RTLD_LAZY));
  Dl_serinfo size{};
  if (program == nullptr || ::dlinfo(program.get(), RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const info = new (room.data()) Dl_serinfo(size);
  if (::dlinfo(program.get(), RTLD_DI_SERINFO, info) != 0) return folders;
  for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(info->dls_serpath[i].dls_name);
  return folders;
}

std::optional<std::filesystem::path> find_library(const std::vector<std::string>& names,
                                                  const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    for (const std::string& name : names) {
      std::error_code code;
      if (std::filesystem::is_regular_file(folder / name, code)) return folder / name;
    }
  }
  return std::nullopt;
}

}  // namespace transformeter
