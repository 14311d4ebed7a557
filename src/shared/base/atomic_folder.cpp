// A rename is safe from power failure once the folder that holds both names is flushed.
#include "base/atomic_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial-";
constexpr std::string_view kReplaced = ".replaced";

[[noreturn]] void fail(std::string_view verb, const fs::path& path, int code) {
  throw Error(ErrorKind::kEnvironment, fmt::format("cannot {} '{}': {}", verb, path.string(), std::strerror(code)));
}

fs::path partial_of(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}{}{}", target.filename().string(), kPartial, ::getpid());
}

fs::path replaced_of(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}{}", target.filename().string(), kReplaced);
}

void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("open", folder, errno);
  const int result = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  if (result != 0 && code != EINVAL) fail("write", folder, code);
}

void move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("write", to, errno);
}

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// "NAME" of ".NAME.partial-123"; empty for other names.
std::string_view name_within(std::string_view hidden, std::string_view mark) {
  const std::size_t end = hidden.rfind(mark);
  return hidden.starts_with('.') && end != hidden.npos && end > 1 ? hidden.substr(1, end - 1) : std::string_view();
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) fail("list", folder, error.value());
  return entries;
}

bool exchange_names(const fs::path& one, const fs::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == ENOSYS || errno == EINVAL || errno == ENOTSUP) return false;
  fail("write", other, errno);
}

void replace_folder(const fs::path& fresh, const fs::path& target,
                    const std::function<bool(const fs::path&, const fs::path&)>& exchange) {
  if (!is_there(target)) {
    move(fresh, target);
    flush_folder(target.parent_path());
    return;
  }
  if (exchange(fresh, target)) {
    flush_folder(target.parent_path());
    remove_quietly(fresh);
    return;
  }
  const fs::path replaced = replaced_of(target);
  move(target, replaced);
  move(fresh, target);
  flush_folder(target.parent_path());
  remove_quietly(replaced);
}

void remove_folder(const fs::path& folder) {
  const fs::path hidden = partial_of(folder);
  remove_quietly(hidden);
  move(folder, hidden);
  remove_quietly(hidden);
}

void settle_folders(const fs::path& parent, const std::function<bool(std::string_view name)>& concerns) {
  std::vector<fs::path> partial, replaced;
  for (const fs::path& entry : entries_of(parent)) {
    const std::string name = entry.filename().string();
    if (const std::string_view of = name_within(name, kPartial); !of.empty() && concerns(of)) partial.push_back(entry);
    if (!name.ends_with(kReplaced)) continue;
    if (const std::string_view of = name_within(name, kReplaced); !of.empty() && concerns(of)) {
      replaced.push_back(parent / of);
    }
  }
  for (const fs::path& target : replaced) {
    if (is_there(target)) {
      remove_quietly(replaced_of(target));
    } else {
      move(replaced_of(target), target);
    }
  }
  for (const fs::path& folder : partial) remove_quietly(folder);
}

AtomicFolder::AtomicFolder(fs::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "folder/"
  target_ = fs::absolute(target_);
  std::error_code code;
  if (fs::exists(target_, code) && !fs::is_directory(target_, code)) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("cannot write '{}': it exists and is not a folder", target_.string()));
  }
  fs::create_directories(target_.parent_path(), code);
  if (code) fail("make", target_.parent_path(), code.value());
  settle_folders(target_.parent_path(), [&](std::string_view name) { return name == target_.filename().string(); });
  const fs::path partial = partial_of(target_);
  fs::create_directory(partial, code);
  if (code) fail("make", partial, code.value());
  partial_ = partial;
}

AtomicFolder::~AtomicFolder() {
  if (!partial_.empty()) remove_quietly(partial_);
}

void AtomicFolder::commit() {
  flush_folder(partial_);
  replace_folder(partial_, target_, exchange_names);
  partial_.clear();
}

}  // namespace transformeter
