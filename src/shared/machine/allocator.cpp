// The file that holds malloc says whose it is; what each library exports says its version.
#include "machine/allocator.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <malloc.h>

#include <cstdlib>
#include <filesystem>

namespace transformeter {
namespace {

template <typename Function>
Function* exported(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

std::string jemalloc_version() {
  auto* const control = exported<int(const char*, void*, std::size_t*, void*, std::size_t)>("mallctl");
  const char* version = nullptr;
  std::size_t size = sizeof version;
  const bool is_known = control != nullptr && control("version", static_cast<void*>(&version), &size, nullptr, 0) == 0;
  if (!is_known || version == nullptr) return "";
  const std::string text = version;  // "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"
  return text.substr(0, text.find('-'));
}

// 209 is 2.0.9; a number of more digits is left as it is.
std::string mimalloc_version() {
  auto* const version = exported<int()>("mi_version");
  if (version == nullptr) return "";
  const int number = version();
  if (number >= 1000) return std::to_string(number);
  return fmt::format("{}.{}.{}", number / 100, number / 10 % 10, number % 10);
}

// By default glibc maps such a block on its own and unmaps it when it is freed (mallopt(3): the threshold never exceeds
// 32 MiB by itself), or gives the top of its heap back. The block is larger than all that lies free in the heap, where
// a smaller one might find room either way.
bool keeps_large_blocks() {
  constexpr std::size_t kLargeBytes = std::size_t{64} << 20;
  const auto before = ::mallinfo2();
  void* volatile block = std::malloc(before.fordblks + kLargeBytes);
  if (block == nullptr) return false;
  const auto holding = ::mallinfo2();
  std::free(block);
  const auto after = ::mallinfo2();
  return holding.hblkhd <= before.hblkhd && after.arena >= holding.arena;
}

}  // namespace

AllocatorInUse read_allocator() {
  Dl_info malloc_info{};
  const void* const malloc_address = ::dlsym(RTLD_DEFAULT, "malloc");
  if (malloc_address == nullptr || ::dladdr(malloc_address, &malloc_info) == 0) return {"unknown", ""};
  const std::string file = std::filesystem::path(malloc_info.dli_fname).filename().string();
  if (file.starts_with("libjemalloc")) return {"jemalloc", jemalloc_version()};
  if (file.starts_with("libmimalloc")) return {"mimalloc", mimalloc_version()};
  if (file.starts_with("libc.so")) return {keeps_large_blocks() ? "glibc_raised" : "glibc", ::gnu_get_libc_version()};
  return {file, ""};
}

}  // namespace transformeter
