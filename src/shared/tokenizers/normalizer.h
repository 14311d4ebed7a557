// The first step of a tokenizer: rewriting the text, as to lower case or into a Unicode normal form.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tokenizers/aligned_text.h"

namespace transformeter {

/// Immutable: one object may serve several threads. Texts are well-formed UTF-8, given and made.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// Without places: the quick way.
  virtual std::string normalize(std::string_view text) const = 0;
  /// The same text with the places of the given one, when those are traced.
  virtual AlignedText normalize_aligned(AlignedText text) const = 0;
  /// True when `text` is surely normalised already.
  bool leaves(std::string_view text) const { return do_leaves(text); }

 protected:
  /// False is always right; true saves the work where nothing changes.
  virtual bool do_leaves(std::string_view) const { return false; }
};

/// A normalizer that says what becomes of each character; both ways of it follow.
class CharacterNormalizer : public Normalizer {
 public:
  std::string normalize(std::string_view text) const final;
  AlignedText normalize_aligned(AlignedText text) const final;

 protected:
  struct Changes {
    std::vector<CharacterChange> characters;
    std::size_t left_out = 0;  // characters dropped at the start of the text
  };
  virtual Changes do_changes(std::string_view text) const = 0;
};

/// Lower-cases the text for `next`, which may be null.
std::unique_ptr<const Normalizer> lowercasing_before(std::unique_ptr<const Normalizer> next);

/// The normalizer that `json`, of a tokenizer.json, describes. Throws Error(kBadInput) that begins with `where`: for a
/// type that is not known (the message lists those that are), and for a member of the wrong type.
std::unique_ptr<const Normalizer> make_normalizer(const Json& json, const std::string& where);

}  // namespace transformeter
