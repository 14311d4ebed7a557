// The lock is a file beside it, since the file itself is replaced.
#include "base/kept_file.h"

#include <exception>
#include <system_error>
#include <utility>

#include "base/file_lock.h"
#include "base/files.h"
#include "base/json_file.h"

namespace transformeter {

Json read_kept_file(const std::filesystem::path& path, int version) {
  Json file = json_or_discarded(read_file_or_empty(path));
  const bool is_ours = file.is_object() && file.contains("version") && file.at("version") == version;
  return is_ours ? std::move(file) : Json();
}

std::optional<std::string> change_kept_file(const std::filesystem::path& path, int version,
                                            const std::function<Json(const Json& present)>& change) {
  try {
    std::error_code code;  // the lock says what is wrong
    std::filesystem::create_directories(path.parent_path(), code);
    const FileLock lock(path.string() + ".lock", nullptr);
    Json changed = change(read_kept_file(path, version));
    changed["version"] = version;
    write_json_file(path, changed);
  } catch (const std::exception& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace transformeter
