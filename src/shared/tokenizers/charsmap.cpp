// A unit holds the byte that leads to it (bits 0 to 7), whether an entry ends there (bit 8) and the distance to its
// children (bits 10 to 31, 8 bits further left when bit 9 is set); the child for byte b stands at place ^ distance ^ b.
// An entry's value stands at the child for byte 0.
#include "tokenizers/charsmap.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

bool ends_entry(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
// Equal to the byte in units that may be stepped on; a value has the highest bit set.
std::uint32_t label_of(std::uint32_t unit) {
  return unit & (std::uint32_t{1} << 31 | 0xFF);
}
std::uint32_t distance_of(std::uint32_t unit) {
  return (unit >> 10) << ((unit & (1U << 9)) >> 6);
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & ~(std::uint32_t{1} << 31);
}

std::uint32_t read_unit(std::string_view bytes) {
  std::uint32_t unit = 0;
  for (std::size_t i = 4; i-- > 0;) unit = unit << 8 | static_cast<unsigned char>(bytes[i]);
  return unit;
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const std::string& where) {
  const auto bad = [&](const std::string& message) {
    return Error(ErrorKind::kBadInput, fmt::format("{}: the character map {}", where, message));
  };
  if (bytes.size() < 4) throw bad(fmt::format("has {} bytes, but the trie's size alone takes 4", bytes.size()));
  const std::uint32_t size = read_unit(bytes);
  bytes.remove_prefix(4);
  if (size < 4 || size % 4 != 0 || size > bytes.size()) {
    throw bad(
        fmt::format("declares a trie of {} bytes; allowed: a multiple of 4 up to {}, the number of bytes that follow",
                    size, bytes.size()));
  }
  units_.reserve(size / 4);
  for (std::size_t i = 0; i < size; i += 4) units_.push_back(read_unit(bytes.substr(i)));
  texts_ = bytes.substr(size);
  if (const auto offset = first_invalid_utf8(texts_))
    throw bad(fmt::format("is not valid UTF-8 at byte {}", *offset + size + 4));
  check(where);
}

// Walks over all that a search can reach. Places are looked at once each, so that shared and looping branches end.
// A search looks at the child for any byte of a text before it knows whether there is one, and sentencepiece's own does
// not ask whether it lies in the array: all 256 places have to.
void Charsmap::check(const std::string& where) const {
  const auto bad = [&](std::size_t place) {
    return Error(ErrorKind::kBadInput,
                 fmt::format("{}: the character map points outside its trie or its texts at unit {}", where, place));
  };
  std::vector<bool> seen(units_.size());
  std::vector<std::size_t> open = {0};  // units whose children are to be looked at
  while (!open.empty()) {
    const std::size_t place = open.back();
    open.pop_back();
    const std::size_t base = place ^ distance_of(units_[place]);
    if ((base | 0xFF) >= units_.size()) throw bad(place);
    if (ends_entry(units_[place])) {
      const std::uint32_t value = value_of(units_[base]);
      if (value > texts_.size() || (value < texts_.size() && !starts_character(texts_[value]))) throw bad(place);
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::size_t child = base ^ byte;
      if (seen[child] || label_of(units_[child]) != byte) continue;
      seen[child] = true;
      open.push_back(child);
    }
  }
}

std::optional<std::string_view> Charsmap::find(std::string_view text) const {
  std::size_t place = distance_of(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return std::nullopt;
    place ^= byte;
    if (label_of(units_[place]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[place];
    place ^= distance_of(unit);
    if (!ends_entry(unit)) continue;
    const std::string_view rest = std::string_view(texts_).substr(value_of(units_[place]));
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

}  // namespace transformeter
