// Every member is looked at for its type before it is used; what is not needed is passed over.
#include "hub/hub_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "hub/repository.h"

namespace transformeter {
namespace {

constexpr std::uint64_t kMaxChunks = 10000;  // as object stores have it

Error malformed(std::string_view what, std::string_view why) {
  return Error(ErrorKind::kBadInput,
               fmt::format("{} is not a valid response of a model hub: {}. Is HF_ENDPOINT correct?", what, why));
}

Json parse_answer(std::string_view what, std::string_view text) {
  if (trim(text).starts_with('<')) throw malformed(what, "it is a web page, e.g. of a proxy or a login");
  try {
    return parse_json(what, text);
  } catch (const Error& error) {
    throw malformed(what, error.what());
  }
}

const Json& member(std::string_view what, const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw malformed(what, fmt::format("no member '{}'", name));
  return object.at(name);
}

std::string text_member(std::string_view what, const Json& object, const char* name) {
  const Json& value = member(what, object, name);
  if (!value.is_string()) throw malformed(what, fmt::format("'{}' is not a string", name));
  return value.get<std::string>();
}

const Json& list_member(std::string_view what, const Json& object, const char* name) {
  const Json& value = member(what, object, name);
  if (!value.is_array()) throw malformed(what, fmt::format("'{}' is not a list", name));
  return value;
}

std::uint64_t size_member(std::string_view what, const Json& object, const char* name) {
  const auto size = whole_number<std::int64_t>(member(what, object, name));
  if (!size || *size < 0) throw malformed(what, fmt::format("'{}' is not a size", name));
  return static_cast<std::uint64_t>(*size);
}

bool is_hash(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string hash_member(std::string_view what, const Json& object, std::size_t digits) {
  std::string hash = text_member(what, object, "oid");
  if (!is_hash(hash, digits)) {
    throw malformed(what, fmt::format("'{}' is not a hash of {} digits", excerpt(hash), digits));
  }
  return hash;
}

RepositoryFile file_of(std::string_view what, const Json& entry) {
  RepositoryFile file;
  file.path = text_member(what, entry, "path");
  check_repository_path(file.path, what);
  const auto lfs = entry.find("lfs");
  const bool is_lfs = lfs != entry.end() && !lfs->is_null();
  file.size = size_member(what, is_lfs ? *lfs : entry, "size");
  file.hash = is_lfs ? hash_member(what, *lfs, 64) : hash_member(what, entry, 40);
  return file;
}

std::optional<LfsAction> action_of(std::string_view what, const Json& actions, const char* name) {
  if (!actions.is_object() || !actions.contains(name) || actions.at(name).is_null()) return std::nullopt;
  const Json& json = actions.at(name);
  LfsAction action;
  action.url = text_member(what, json, "href");
  const auto header = json.find("header");
  if (header == json.end() || !header->is_object()) return action;
  for (const auto& [key, value] : header->items()) {
    action.headers.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return action;
}

// "chunk_size" and the parts' addresses, "1", "2", ..., stand among the headers of the upload.
void take_chunks(std::string_view what, LfsObject& object) {
  std::map<long long, std::string> urls;
  HttpHeaders headers;
  for (const auto& [name, value] : object.upload->headers) {
    const auto number = parse_integer(name);
    if (name == "chunk_size") {
      const auto size = parse_integer(value);
      if (!size || *size <= 0) throw malformed(what, fmt::format("chunk_size '{}'", excerpt(value)));
      object.chunk_size = static_cast<std::uint64_t>(*size);
    } else if (number && *number > 0) {
      urls.emplace(*number, value);
    } else {
      headers.emplace_back(name, value);
    }
  }
  if (object.chunk_size == 0) return;
  if (urls.size() > kMaxChunks) throw malformed(what, fmt::format("more than {} chunks", kMaxChunks));
  object.upload->headers = std::move(headers);
  for (auto& [number, url] : urls) object.chunk_urls.push_back(std::move(url));
}

LfsObject object_of(std::string_view what, const Json& entry) {
  LfsObject object;
  object.hash = hash_member(what, entry, 64);
  const auto error = entry.find("error");
  if (error != entry.end() && !error->is_null()) {
    object.error = text_member(what, *error, "message");
    if (object.error.empty()) object.error = "no reason given";
    return object;
  }
  const auto actions = entry.find("actions");
  if (actions == entry.end()) return object;
  object.upload = action_of(what, *actions, "upload");
  object.verify = action_of(what, *actions, "verify");
  if (object.upload) take_chunks(what, object);
  return object;
}

}  // namespace

std::string parse_revision_answer(std::string_view what, std::string_view text) {
  std::string commit = text_member(what, parse_answer(what, text), "sha");
  if (!is_commit(commit)) throw malformed(what, fmt::format("'{}' is not a commit", excerpt(commit)));
  return commit;
}

std::vector<RepositoryFile> parse_tree_page(std::string_view what, std::string_view text) {
  const Json page = parse_answer(what, text);
  if (!page.is_array()) throw malformed(what, "it is not a list");
  std::vector<RepositoryFile> files;
  for (const Json& entry : page) {
    if (text_member(what, entry, "type") == "file") files.push_back(file_of(what, entry));
  }
  return files;
}

std::vector<std::string> parse_shards(std::string_view what, std::string_view text) {
  const Json index = parse_answer(what, text);
  const Json& map = member(what, index, "weight_map");
  if (!map.is_object() || map.empty()) throw malformed(what, "'weight_map' names no tensor");
  std::set<std::string> names;
  for (const Json& name : map) {
    if (!name.is_string()) throw malformed(what, "a tensor's file name is not a string");
    check_repository_path(name.get<std::string>(), what);
    names.insert(name.get<std::string>());
  }
  return {names.begin(), names.end()};
}

std::vector<PreuploadFile> parse_preupload(std::string_view what, std::string_view text) {
  const Json answer = parse_answer(what, text);
  std::vector<PreuploadFile> files;
  for (const Json& entry : list_member(what, answer, "files")) {
    PreuploadFile file;
    file.path = text_member(what, entry, "path");
    const std::string mode = text_member(what, entry, "uploadMode");
    if (mode != "lfs" && mode != "regular") throw malformed(what, fmt::format("uploadMode '{}'", excerpt(mode)));
    file.is_lfs = mode == "lfs";
    const auto ignored = entry.find("shouldIgnore");
    file.is_ignored = ignored != entry.end() && *ignored == true;
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<LfsObject> parse_lfs_batch(std::string_view what, std::string_view text) {
  const Json answer = parse_answer(what, text);
  std::vector<LfsObject> objects;
  for (const Json& entry : list_member(what, answer, "objects")) objects.push_back(object_of(what, entry));
  return objects;
}

CommitAnswer parse_commit_answer(std::string_view what, std::string_view text) {
  const Json json = parse_answer(what, text);
  CommitAnswer answer;
  answer.commit = text_member(what, json, "commitOid");
  answer.url = text_member(what, json, "commitUrl");
  return answer;
}

std::string parse_error_answer(std::string_view text) {
  const Json json = json_or_discarded(text);
  if (!json.is_object()) return {};
  const auto error = json.find("error");
  return error != json.end() && error->is_string() ? error->get<std::string>() : std::string();
}

}  // namespace transformeter
