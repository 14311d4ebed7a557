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

Arrangement framed_arrangement(std::optional<std::int32_t> begin, std::optional<std::int32_t> end) {
  Arrangement arrangement;
  const auto append = [&](std::vector<ArrangementPart>& parts, Kind kind, std::int32_t type_id) {
    if (begin) parts.push_back(special(*begin, type_id));
    parts.push_back({kind, 0, type_id});
    if (end) parts.push_back(special(*end, type_id));
  };
  append(arrangement.single, Kind::kFirstText, 0);
  append(arrangement.pair, Kind::kFirstText, 0);
  append(arrangement.pair, Kind::kSecondText, 1);
  return arrangement;
}

Arrangement without_types(Arrangement arrangement) {
  for (auto* parts : {&arrangement.single, &arrangement.pair}) {
    for (ArrangementPart& part : *parts) part.type_id = 0;
  }
  return arrangement;
}

std::int64_t count_special(const std::vector<ArrangementPart>& parts) {
  return std::count_if(parts.begin(), parts.end(),
                       [](const ArrangementPart& part) { return part.kind == Kind::kSpecial; });
}

}  // namespace transformeter
