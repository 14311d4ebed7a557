// OpenSSL's encoder, which wants to know the length in advance.
#include "base/base64.h"

#include <openssl/evp.h>

#include "base/error.h"

namespace transformeter {

std::string base64(std::string_view bytes) {
  constexpr std::size_t kLongest = 1 << 30;  // OpenSSL counts in int
  if (bytes.size() > kLongest) throw Error(ErrorKind::kInternal, "base64 of more than 1 GiB");
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the encoder's own end of a C string
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace transformeter
