// SHA-256 of text and files: the identity of workloads, cases and data. SHA-1 where git wants it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace transformeter {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
/// Throws Error(kBadInput) when the file cannot be read.
std::string sha256_file(const std::filesystem::path& path);

/// The hash of bytes that come piece by piece.
class StreamHash {
 public:
  enum class Kind { kSha1, kSha256 };

  explicit StreamHash(Kind kind);
  ~StreamHash();
  StreamHash(const StreamHash&) = delete;
  StreamHash& operator=(const StreamHash&) = delete;

  void update(std::string_view bytes);
  /// 40 or 64 lower-case hexadecimal digits; nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace transformeter
