// The arrangements that models are published with.
#include "tokenizers/arrangement.h"

#include <algorithm>

namespace transformeter {
namespace {

using Kind = ArrangementPart::Kind;

ArrangementPart special(std::int32_t id, std::int32_t type_id = 0) {
  return {Kind::kSpecial, id, type_id};
}
constexpr ArrangementPart kFirst{Kind::kFirstText, 0, 0};
constexpr ArrangementPart kSecondOfType0{Kind::kSecondText, 0, 0};
constexpr ArrangementPart kSecond{Kind::kSecondText, 0, 1};

}  // namespace

Arrangement bare_arrangement() {
  return {{kFirst}, {kFirst, kSecond}};
}

Arrangement bert_arrangement(std::int32_t cls, std::int32_t sep) {
  return {{special(cls), kFirst, special(sep)}, {special(cls), kFirst, special(sep), kSecond, special(sep, 1)}};
}

Arrangement roberta_arrangement(std::int32_t cls, std::int32_t sep) {
  return {{special(cls), kFirst, special(sep)},
          {special(cls), kFirst, special(sep), special(sep), kSecondOfType0, special(sep)}};
}

Arrangement prefixed_arrangement(std::int32_t begin) {
  return {{special(begin), kFirst}, {special(begin), kFirst, special(begin, 1), kSecond}};
}

std::int64_t count_special(const std::vector<ArrangementPart>& parts) {
  return std::count_if(parts.begin(), parts.end(),
                       [](const ArrangementPart& part) { return part.kind == Kind::kSpecial; });
}

}  // namespace transformeter
