// How special tokens stand around one text or two.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace transformeter {

/// A special token, or the place of the first or second text.
struct ArrangementPart {
  enum class Kind { kSpecial, kFirstText, kSecondText };
  Kind kind = Kind::kSpecial;
  std::int32_t id = 0;  // of a special token
  std::int32_t type_id = 0;
};

struct Arrangement {
  std::vector<ArrangementPart> single;  // holds kFirstText once
  std::vector<ArrangementPart> pair;    // holds each text once
};

/// The texts alone, the second with type 1.
Arrangement bare_arrangement();
/// [CLS] first [SEP], and [CLS] first [SEP] second [SEP] with type 1 from `second` on.
Arrangement bert_arrangement(std::int32_t cls, std::int32_t sep);
/// <s> first </s>, and <s> first </s> </s> second </s>, all of type 0.
Arrangement roberta_arrangement(std::int32_t cls, std::int32_t sep);
/// `begin` in front of each text, which OPT does, and `end` behind it, where they are set; the second text with type 1.
Arrangement framed_arrangement(std::optional<std::int32_t> begin, std::optional<std::int32_t> end);

/// The same with type 0 everywhere, for a model that gets no token types.
Arrangement without_types(Arrangement arrangement);

/// The special tokens of a list of parts.
std::int64_t count_special(const std::vector<ArrangementPart>& parts);

}  // namespace transformeter
