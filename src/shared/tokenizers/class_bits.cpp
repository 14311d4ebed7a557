// Sixteen bytes are compared at once. What that says of them one instruction gathers, or a product where there is none.
#include "tokenizers/class_bits.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

static_assert(std::endian::native == std::endian::little, "a block's first byte is the lowest of what is loaded");

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLoadBytes = 16;

using Word = std::uint64_t;
using Bytes = unsigned char __attribute__((vector_size(kLoadBytes)));

// All bits of each byte from `first` to `last`.
Bytes between(Bytes bytes, unsigned char first, unsigned char last) {
  return reinterpret_cast<Bytes>(bytes - first <= static_cast<unsigned char>(last - first));
}

// One bit of each byte, all of whose bits are alike.
Word gathered(Bytes found) {
#ifdef __SSE2__
  return static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(found)));
#else
  std::array<Word, 2> halves{};
  std::memcpy(halves.data(), &found, sizeof(found));
  const auto of_half = [](Word half) { return ((half & 0x0101010101010101ULL) * 0x0102040810204080ULL) >> 56; };
  return of_half(halves[0]) | of_half(halves[1]) << 8;
#endif
}

// Of bytes below 0x80, `place` bytes after the block's first; of others nothing.
void add_ascii(Bytes bytes, std::size_t place, ClassBits& bits) {
  const Bytes blank = between(bytes, ' ', ' ');
  bits.letters |= gathered(between(bytes | 0x20, 'a', 'z')) << place;
  bits.numbers |= gathered(between(bytes, '0', '9')) << place;
  bits.spaces |= gathered(between(bytes, '\t', '\r') | blank) << place;
  bits.blanks |= gathered(blank) << place;
  bits.apostrophes |= gathered(between(bytes, '\'', '\'')) << place;
}

// Of characters beyond ASCII.
void add_beyond(std::string_view block, const CharacterClasses& classes, ClassBits& bits) {
  for (std::size_t place = 0; place < block.size();) {
    if (static_cast<unsigned char>(block[place]) < 0x80) {
      ++place;
      continue;
    }
    const std::size_t begin = place;
    const CharacterClass kind = classes.of(next_code_point(block, place));
    const Word mask = ((Word{1} << (place - begin)) - 1) << begin;
    if (kind == CharacterClass::kLetter) bits.letters |= mask;
    if (kind == CharacterClass::kNumber) bits.numbers |= mask;
    if (kind == CharacterClass::kSpace) {
      bits.spaces |= mask;
      bits.space_tails |= mask & (mask << 1);
    }
  }
}

}  // namespace

std::size_t block_size(std::string_view text, std::size_t begin) {
  std::size_t end = std::min(begin + kBlockBytes, text.size());
  while (end < text.size() && !starts_character(text[end])) --end;
  return end - begin;
}

ClassBits class_bits(std::string_view block, const CharacterClasses& classes) {
  ClassBits bits;
  Bytes any{};
  for (std::size_t place = 0; place < block.size(); place += kLoadBytes) {
    Bytes bytes{};  // zeros beyond the end are of no class
    if (place + kLoadBytes <= block.size()) {
      std::memcpy(&bytes, block.data() + place, kLoadBytes);
    } else {
      std::memcpy(&bytes, block.data() + place, block.size() - place);
    }
    any |= bytes;
    add_ascii(bytes, place, bits);
  }
  bits.all = block.size() < kBlockBytes ? (Word{1} << block.size()) - 1 : ~Word{0};
  if (gathered(between(any, 0x80, 0xFF)) != 0) add_beyond(block, classes, bits);
  return bits;
}

}  // namespace transformeter
