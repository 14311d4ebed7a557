// OpenSSL's encoder, which wants to know the length in advance; its decoder ignores leftover bits and padding.
#include "base/base64.h"

#include <openssl/evp.h>

#include <cstdint>

#include "base/error.h"

namespace transformeter {
namespace {

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

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

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  text.remove_suffix(padding);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;  // the bits padding leaves over are zero
  return bytes;
}

}  // namespace transformeter
