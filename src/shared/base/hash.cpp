// Hashes through OpenSSL's EVP interface.
#include "base/hash.h"

#include <openssl/evp.h>

#include <memory>

#include "base/error.h"
#include "base/files.h"

namespace transformeter {
namespace {

std::string hex_of(const unsigned char* digest, unsigned int size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::kInternal, "SHA-256 is not available from OpenSSL");
  }
  return hex_of(digest, size);
}

std::string sha256_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return sha256_hex(file.bytes());
}

struct StreamHash::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

StreamHash::StreamHash(Kind kind) : state_(std::make_unique<State>()) {
  const EVP_MD* algorithm = kind == Kind::kSha1 ? EVP_sha1() : EVP_sha256();
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), algorithm, nullptr) != 1) {
    throw Error(ErrorKind::kInternal, "the hash is not available from OpenSSL");
  }
}

StreamHash::~StreamHash() = default;

void StreamHash::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    throw Error(ErrorKind::kInternal, "OpenSSL failed to update a hash");
  }
}

std::string StreamHash::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest, &size) != 1) {
    throw Error(ErrorKind::kInternal, "OpenSSL failed to finish a hash");
  }
  return hex_of(digest, size);
}

}  // namespace transformeter
