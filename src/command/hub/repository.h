// Names on the hub: repositories, revisions, commits and the paths of files, checked before they become URLs or paths.
#pragma once

#include <string>
#include <string_view>

namespace transformeter {

enum class RepositoryType { kModel, kDataset };

struct Repository {
  RepositoryType type = RepositoryType::kModel;
  std::string name;  // "org/name", or "name" for the oldest ones
};

/// "model", "dataset".
std::string_view name_of(RepositoryType type);
/// Throws Error(kBadInput) for another word.
RepositoryType repository_type(std::string_view word);

/// "org/name" or "name" as the hub allows: letters, digits, - _ . , not beginning or ending with - or ., at most 96
/// characters. Also "datasets/org/name", whatever `type` says. Throws Error(kBadInput).
Repository parse_repository(RepositoryType type, std::string_view text);

/// True where parse_repository takes `text` for a model of the form "org/name".
bool is_repository_name(std::string_view text);

/// Throws Error(kBadInput) for a branch, tag or commit that could not be one.
void check_revision(std::string_view revision);

/// 40 hexadecimal digits in small letters.
bool is_commit(std::string_view revision);

/// Throws Error(kBadInput) for a path that leaves its folder or could not be a file's: absolute, "..", an empty part,
/// a backslash, control characters, no UTF-8, longer than a file system takes. `where` says whose path it is.
void check_repository_path(std::string_view path, std::string_view where);

/// Percent-encoded for a URL; slashes stay where `keep_slashes` says so.
std::string url_encoded(std::string_view text, bool keep_slashes);

}  // namespace transformeter
