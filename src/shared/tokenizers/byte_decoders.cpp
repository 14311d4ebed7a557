// Decoders that put bytes together: they may not be UTF-8.
#include <array>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "tokenizers/byte_level.h"
#include "tokenizers/decoders.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr char32_t kByteLevelEnd = 0x144;  // behind the last byte-level character

// The bytes that byte-level characters stand for; -1 for other characters.
std::array<int, kByteLevelEnd> make_byte_table() {
  std::array<int, kByteLevelEnd> bytes{};
  bytes.fill(-1);
  for (int byte = 0; byte < 256; ++byte) bytes[byte_level_character(static_cast<std::uint8_t>(byte))] = byte;
  return bytes;
}

// Bytes of the longest beginning of `text` that well-formed UTF-8 could go on from, at least 1: what one U+FFFD stands
// for (Unicode 3.9, "substitution of maximal subparts"). `text` begins with a fault.
std::size_t faulty_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4) return 1;
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned char lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text.size() < 2 || byte(1) < lowest || byte(1) > highest) return 1;
  std::size_t i = 2;
  while (i < size && i < text.size() && !starts_character(text[i])) ++i;
  return i;
}

std::string replace_faults(std::string_view text) {
  std::string made;
  while (const auto fault = first_invalid_utf8(text)) {
    made.append(text.substr(0, *fault)).append(kReplacement);
    text.remove_prefix(*fault);
    text.remove_prefix(faulty_bytes(text));
  }
  return made.append(text);
}

// The byte of "<0xE5>". As Rust's from_str_radix, a sign before one digit is taken too.
std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  std::string_view digits = token.substr(3, 2);
  if (digits.front() == '+') digits.remove_prefix(1);
  int value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + digit;
  }
  return static_cast<char>(value);
}

}  // namespace

std::vector<std::string> ByteLevelDecoder::decode_chain(std::vector<std::string> tokens) const {
  static const std::array<int, kByteLevelEnd> kBytes = make_byte_table();
  std::string bytes;
  std::string own;
  for (const std::string& token : tokens) {
    own.clear();
    bool all = true;
    for (std::size_t i = 0; i < token.size() && all;) {
      const char32_t c = next_code_point(token, i);
      all = c < kByteLevelEnd && kBytes[c] >= 0;
      if (all) own += static_cast<char>(kBytes[c]);
    }
    bytes += all ? own : token;
  }
  return {replace_faults(bytes)};
}

std::vector<std::string> ByteFallbackDecoder::decode_chain(std::vector<std::string> tokens) const {
  std::vector<std::string> made;
  std::string run;
  const auto end_run = [&] {
    if (run.empty()) return;
    if (first_invalid_utf8(run)) {
      made.insert(made.end(), run.size(), std::string(kReplacement));
    } else {
      made.push_back(run);
    }
    run.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = byte_of(token)) {
      run += *byte;
    } else {
      end_run();
      made.push_back(std::move(token));
    }
  }
  end_run();
  return made;
}

}  // namespace transformeter
