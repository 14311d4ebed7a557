// The hub's JSON answers as typed values. They are untrusted: each function throws Error(kBadInput) for text that is no
// such answer, naming `what`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/http.h"

namespace transformeter {

/// The commit of a revision: {"sha": "..."}.
std::string parse_revision_answer(std::string_view what, std::string_view text);

struct RepositoryFile {
  std::string path;
  std::uint64_t size = 0;
  std::string hash;  // 64 digits: SHA-256 of the content; 40: git's SHA-1 of it. Also the name of its blob in the cache
};

/// One page of a listing. Folders are left out; a path that check_repository_path refuses fails the whole page.
std::vector<RepositoryFile> parse_tree_page(std::string_view what, std::string_view text);

/// The file names of a sharded checkpoint's index, sorted, each once.
std::vector<std::string> parse_shards(std::string_view what, std::string_view text);

struct PreuploadFile {
  std::string path;
  bool is_lfs = false;      // goes to large file storage, and not into the commit itself
  bool is_ignored = false;  // by the repository's .gitignore
};

std::vector<PreuploadFile> parse_preupload(std::string_view what, std::string_view text);

/// Where to send a file, or to say that it was sent.
struct LfsAction {
  std::string url;
  HttpHeaders headers;
};

struct LfsObject {
  std::string hash;
  std::string error;                // why the server does not take it; empty: it does
  std::optional<LfsAction> upload;  // nothing: the server has it already
  std::optional<LfsAction> verify;
  std::uint64_t chunk_size = 0;         // 0: in one piece
  std::vector<std::string> chunk_urls;  // for each piece
};

std::vector<LfsObject> parse_lfs_batch(std::string_view what, std::string_view text);

struct CommitAnswer {
  std::string commit;
  std::string url;
};

CommitAnswer parse_commit_answer(std::string_view what, std::string_view text);

/// The message of an error answer: {"error": "..."}, or nothing.
std::string parse_error_answer(std::string_view text);

}  // namespace transformeter
