// Keys as sentence-transformers writes them.
#include "spec/sentence_pooling.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace transformeter {

namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  return parse_json(path.string(), read_file(path));
}

std::string text_of(const Json& object, const char* key, const fs::path& where) {
  const auto value = object.is_object() ? object.find(key) : object.end();
  if (value != object.end() && value->is_string()) return value->get<std::string>();
  throw Error(ErrorKind::kBadInput, fmt::format("{}: a module has no string '{}'.", where.string(), key));
}

Selection pooling_of(const Json& json, const fs::path& where) {
  static const std::pair<const char*, Selection> kModes[] = {{"pooling_mode_mean_tokens", Selection::kMean},
                                                             {"pooling_mode_cls_token", Selection::kFirst},
                                                             {"pooling_mode_lasttoken", Selection::kLast}};
  static const std::pair<const char*, Selection> kNames[] = {
      {"mean", Selection::kMean}, {"cls", Selection::kFirst}, {"lasttoken", Selection::kLast}};
  if (!json.is_object())
    throw Error(ErrorKind::kBadInput, fmt::format("{} does not contain a JSON object.", where.string()));
  // Newer files name the mode; older ones have a flag for each.
  if (const auto mode = json.find("pooling_mode"); mode != json.end()) {
    for (const auto& [name, selection] : kNames) {
      if (*mode == name) return selection;
    }
    throw Error(ErrorKind::kUnsupported, fmt::format("{}: pooling_mode {} is not supported; supported: mean, cls and "
                                                     "lasttoken.",
                                                     where.string(), mode->dump()));
  }
  std::optional<Selection> found;
  for (const auto& [key, value] : json.items()) {
    if (!key.starts_with("pooling_mode_") || value != true) continue;
    std::optional<Selection> selection;
    for (const auto& [name, known] : kModes) {
      if (key == name) selection = known;
    }
    if (!selection || found) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("{}: {} is not supported; use exactly one of mean, cls and lasttoken.", where.string(), key));
    }
    found = selection;
  }
  if (!found) throw Error(ErrorKind::kBadInput, fmt::format("{} does not select a pooling.", where.string()));
  return *found;
}

}  // namespace

void read_sentence_pooling(const fs::path& folder, ModelConfig& config) {
  const fs::path modules_file = folder / "modules.json";
  std::error_code ignored;
  if (!fs::is_regular_file(modules_file, ignored)) return;
  const Json modules = read_json(modules_file);
  if (!modules.is_array()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} does not contain a list of modules.", modules_file.string()));
  }
  for (const Json& module : modules) {
    const std::string type = text_of(module, "type", modules_file);
    const std::string name = type.substr(type.rfind('.') + 1);
    if (name == "Pooling") {
      const std::string path = text_of(module, "path", modules_file);
      if (path.empty() || fs::path(path).filename() != path) {
        throw bad_value(fmt::format("{}: path", modules_file.string()), path, "the name of a folder next to it");
      }
      const fs::path file = folder / path / "config.json";
      config.pooling = pooling_of(read_json(file), file);
    } else if (name == "Normalize") {
      config.has_normalized_embeddings = true;
    } else if (name != "Transformer") {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{}: module '{}' is not supported; supported: Transformer, Pooling and Normalize.",
                              modules_file.string(), type));
    }
  }
}

Selection pooling_from_name(std::string_view name) {
  for (const Selection pooling : {Selection::kMean, Selection::kFirst, Selection::kLast}) {
    if (pooling_name(pooling) == name) return pooling;
  }
  throw unknown_value("pooling", name, {"mean", "cls", "last"});
}

std::string_view pooling_name(Selection pooling) {
  switch (pooling) {
    case Selection::kFirst:
      return "cls";
    case Selection::kLast:
      return "last";
    case Selection::kMean:
    case Selection::kAll:
      break;
  }
  return "mean";
}

}  // namespace transformeter
