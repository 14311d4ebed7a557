// Two blanks a level, as Hugging Face writes its own.
#include "base/json_file.h"

#include "base/files.h"

namespace transformeter {

void write_json_file(const std::filesystem::path& path, const Json& json) {
  write_file_atomically(path, json.dump(2) + "\n");
}

}  // namespace transformeter
