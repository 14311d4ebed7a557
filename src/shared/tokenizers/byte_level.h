// Byte-level text: every byte is written as a printable character, so that a vocabulary of text covers all bytes
// (Radford et al. 2019, GPT-2's bytes_to_unicode).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/normalizer.h"
#include "tokenizers/pre_tokenizer.h"

namespace transformeter {

/// The character that stands for `byte`: itself where it is printable Latin-1 and no blank, else one from U+0100 on.
char32_t byte_level_character(std::uint8_t byte);
/// `bytes` in byte-level characters, as UTF-8.
std::string to_byte_level(std::string_view bytes);

/// Cuts by a splitter and writes the pieces in byte-level characters.
class ByteLevelPreTokenizer final : public PreTokenizer {
 public:
  /// `splitter` may be null: the text stays one piece. A text that begins with no blank gets one with add_prefix_space.
  ByteLevelPreTokenizer(bool add_prefix_space, std::unique_ptr<const Splitter> splitter)
      : add_prefix_space_(add_prefix_space), splitter_(std::move(splitter)) {}

  std::vector<AlignedText> pre_tokenize(AlignedText text) const override;
  bool add_prefix_space() const { return add_prefix_space_; }
  const Splitter* splitter() const { return splitter_.get(); }

 private:
  bool add_prefix_space_;
  std::unique_ptr<const Splitter> splitter_;
};

/// Writes the text in byte-level characters.
class ByteLevelNormalizer final : public CharacterNormalizer {
 protected:
  bool do_leaves(std::string_view text) const override { return text.empty(); }
  Changes do_changes(std::string_view text) const override;
};

}  // namespace transformeter
