// The rules of names are the hub's own, those of paths what a file system needs.
#include "hub/repository.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr std::size_t kLongestName = 96;
constexpr std::size_t kLongestPart = 255;  // of a path, as file systems have it
constexpr std::size_t kLongestPath = 1024;
constexpr const char* kAllowedName =
    "org/name with at most 96 letters, digits, '-', '_' and '.', not starting or ending with '-' or '.'";

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_part(std::string_view part) {
  const auto may_stand = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  const auto may_end = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !part.empty() && std::all_of(part.begin(), part.end(), may_stand) && may_end(part.front()) &&
         may_end(part.back()) && part.find("--") == std::string_view::npos && part.find("..") == std::string_view::npos;
}

bool is_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool has_parts =
      slash == std::string_view::npos || (is_name_part(text.substr(0, slash)) && is_name_part(text.substr(slash + 1)));
  return has_parts && (slash != std::string_view::npos || is_name_part(text)) && text.size() <= kLongestName &&
         !text.ends_with(".git");
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

// A message ends at a NUL, and others would steer the terminal.
std::string without_controls(std::string_view path) {
  std::string text = excerpt(path);
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace

std::string_view name_of(RepositoryType type) {
  return type == RepositoryType::kModel ? "model" : "dataset";
}

RepositoryType repository_type(std::string_view word) {
  if (word == "model") return RepositoryType::kModel;
  if (word == "dataset") return RepositoryType::kDataset;
  throw unknown_value("repository type", word, {"model", "dataset"});
}

Repository parse_repository(RepositoryType type, std::string_view text) {
  constexpr std::string_view kDatasets = "datasets/";
  std::string_view name = text;
  if (name.starts_with(kDatasets)) {
    type = RepositoryType::kDataset;
    name.remove_prefix(kDatasets.size());
  }
  if (!is_name(name)) throw bad_value(name_of(type), excerpt(text), kAllowedName);
  return {type, std::string(name)};
}

bool is_repository_name(std::string_view text) {
  return text.find('/') != std::string_view::npos && is_name(text);
}

void check_revision(std::string_view revision) {
  constexpr const char* kAllowed = "a branch, a tag or a commit";
  if (revision.empty() || revision.size() > kLongestPart) throw bad_value("revision", excerpt(revision), kAllowed);
  try {
    check_repository_path(revision, "revision");
  } catch (const Error&) {
    throw bad_value("revision", excerpt(revision), kAllowed);
  }
}

bool is_commit(std::string_view revision) {
  constexpr std::size_t kDigits = 40;
  return revision.size() == kDigits && revision.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void check_repository_path(std::string_view path, std::string_view where) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("{} names the file '{}', which {}", where, without_controls(path), why));
  };
  if (path.empty() || path.size() > kLongestPath) refuse("is empty or too long");
  if (std::any_of(path.begin(), path.end(), is_control)) refuse("contains a control character");
  if (path.find('\\') != std::string_view::npos) refuse("contains a backslash");
  if (first_invalid_utf8(path)) refuse("is not valid UTF-8");
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") refuse("could point outside its folder");
    if (part.size() > kLongestPart) refuse("is too long for a file system");
  }
}

std::string url_encoded(std::string_view text, bool keep_slashes) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain || (c == '/' && keep_slashes)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace transformeter
