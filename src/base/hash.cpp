// SHA-256 through OpenSSL's EVP interface.
#include "base/hash.h"

#include <openssl/evp.h>

#include <memory>

#include "base/error.h"
#include "base/files.h"

namespace transformeter {

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::kInternal, "SHA-256 is not available from OpenSSL");
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return sha256_hex(file.bytes());
}

}  // namespace transformeter
