// Labels stand in tables and below plots: what everybody knows goes without its name.
#include "schema/setting_label.h"

#include <fmt/format.h>

#include <cstddef>

#include "schema/settings.h"

namespace transformeter {
namespace {

std::string with_short_commit(std::string name) {
  constexpr std::size_t kCommitDigits = 40;
  constexpr std::size_t kShownDigits = 7;
  const std::size_t at = name.rfind('@');
  const bool has_commit = at != std::string::npos && name.size() == at + 1 + kCommitDigits &&
                          name.find_first_not_of("0123456789abcdef", at + 1) == std::string::npos;
  if (has_commit) name.resize(at + 1 + kShownDigits);
  return name;
}

}  // namespace

std::string last_path_part(std::string_view path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string_view::npos) return std::string(path);
  const std::size_t slash = path.find_last_of('/', end);
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(path.substr(begin, end + 1 - begin));
}

std::string short_name(std::string_view path) {
  return with_short_commit(last_path_part(path));
}

std::string data_path_text(std::string_view path) {
  const std::size_t file = path.find_last_of('/');
  if (file == std::string_view::npos || file == 0) return last_path_part(path);
  return with_short_commit(std::string(path.substr(path.find_last_of('/', file - 1) + 1)));  // npos + 1 is 0
}

// Shapes get a letter, batch and length those of the shape comments; a precision or a kernel speaks for itself; all
// else is named.
std::string setting_label(std::string_view name, const Json& value) {
  std::string text = setting_text(value);
  if (name == "data") return data_path_text(text);
  if (name == "model") return short_name(text);
  if (name == "batch_size") return "b" + text;
  if (name == "sequence_length") return value.is_number() ? "t" + text : text;
  if (name == "audio_seconds") return text + " s";
  if (name == "prompt_length") return "p" + text;
  if (name == "new_tokens") return "n" + text;
  if (name == "gradient_accumulation") return "x" + text;
  if (name == "learning_rate") return "lr" + text;
  if (name == "task" || name == "scenario" || name == "engine" || name == "precision" || name == "attention" ||
      name == "optimizer" || name == "device" || name == "arm" || name == "length_distribution") {
    return text;
  }
  return fmt::format("{}={}", name, text);
}

}  // namespace transformeter
