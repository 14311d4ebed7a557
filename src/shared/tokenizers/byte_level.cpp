// The bytes of a character share its place.
#include "tokenizers/byte_level.h"

#include <utility>

#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

bool stands_for_itself(std::uint8_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

std::vector<CharacterChange> byte_level_changes(std::string_view text) {
  std::vector<CharacterChange> changes;
  changes.reserve(text.size());
  for (const char byte : text) {
    changes.push_back({byte_level_character(static_cast<std::uint8_t>(byte)), starts_character(byte) ? 0 : 1});
  }
  return changes;
}

}  // namespace

char32_t byte_level_character(std::uint8_t byte) {
  if (stands_for_itself(byte)) return byte;
  // 0x00 to 0x20, 0x7F to 0xA0 and 0xAD, in this order.
  if (byte <= 0x20) return 0x100U + byte;
  if (byte <= 0xA0) return 0x121U + (byte - 0x7FU);
  return 0x143;
}

std::string to_byte_level(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) append_utf8(byte_level_character(static_cast<std::uint8_t>(byte)), text);
  return text;
}

std::vector<AlignedText> ByteLevelPreTokenizer::pre_tokenize(AlignedText text) const {
  if (add_prefix_space_ && !text.text.starts_with(' ')) text = prepend(text, " ");
  std::vector<AlignedText> pieces;
  if (splitter_ != nullptr) {
    pieces = splitter_->pre_tokenize(std::move(text));
  } else if (!text.text.empty()) {
    pieces.push_back(std::move(text));
  }
  for (AlignedText& piece : pieces) piece = transform(piece, byte_level_changes(piece.text));
  return pieces;
}

CharacterNormalizer::Changes ByteLevelNormalizer::do_changes(std::string_view text) const {
  return {byte_level_changes(text), 0};
}

}  // namespace transformeter
