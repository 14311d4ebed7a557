// One file of the hub into one blob of the cache: taken up where a download broke off, and checked whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hub/http_client.h"

namespace transformeter {

struct BlobDownload {
  HttpRequest request;
  std::string name;            // for messages
  std::string hash;            // 64 digits: SHA-256; 40: git's SHA-1 of a blob
  std::uint64_t size = 0;      // bytes
  std::filesystem::path blob;  // where it belongs; what is there of it meanwhile lies beside it as *.incomplete
};

/// Bytes of the file that are there by now.
using BlobProgress = std::function<void(std::uint64_t)>;

/// The file that a broken-off download leaves.
std::filesystem::path incomplete_file(const std::filesystem::path& blob);

inline constexpr std::size_t kGitDigits = 40;
inline constexpr std::size_t kSha256Digits = 64;

/// Of a file: git's SHA-1 for 40 digits, SHA-256 for 64. Throws Error(kBadInput) when it cannot be read, and
/// Error(kInterrupted).
std::string content_hash(std::size_t digits, const std::filesystem::path& file, const std::atomic<bool>* interrupt);

/// Goes on from an *.incomplete file, by asking for the rest of it; a name that is the hash of the content makes sure
/// that it is the same file. A connection that breaks is taken up again as long as bytes come. The caller holds the
/// blob's lock. Returns the server's last answer when it is no success, after several tries; else a success. Throws
/// Error(kBadInput) for content that is not what the listing promised (it is removed), Error(kEnvironment) when it
/// cannot be written, Error(kInterrupted); the incomplete file stays.
HttpResponse download_blob(HttpClient& http, const BlobDownload& download, const BlobProgress& progress);

}  // namespace transformeter
